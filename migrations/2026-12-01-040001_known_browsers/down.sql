DROP INDEX invitations_email;
DROP INDEX mail_tokens_email;
DROP TABLE known_browsers;
