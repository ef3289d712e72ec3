DROP INDEX outbox_person;
ALTER TABLE outbox DROP COLUMN talk_no;
ALTER TABLE users DROP COLUMN wants_talk;
DROP TABLE notes;
DROP TABLE message_reports;
DROP TABLE mutes;
DROP TABLE talk_marks;
DROP TABLE messages;
