//! The settings: layers, messages, and that no password is ever shown.

use stardate::config::{Config, DEFAULTS, LogFormat, MailTransport, Tls};

fn variables(list: &[(&str, &str)]) -> impl Iterator<Item = (String, String)> {
    let owned: Vec<(String, String)> = list.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    owned.into_iter()
}

fn faults(file: &str, environment: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stardate.toml");
    std::fs::write(&path, file).unwrap();
    Config::read(Some(&path), variables(environment)).expect_err("these settings are wrong").0
}

#[test]
fn the_built_in_settings_are_good() {
    let config = Config::read(None, variables(&[])).unwrap();
    assert_eq!(config.server.bind.to_string(), "127.0.0.1:8080");
    assert_eq!(config.server.base_url, None);
    assert_eq!(config.database.url, "sqlite:stardate.db");
    assert!(matches!(config.mail.transport, MailTransport::Folder(_)));
    assert_eq!((config.joining.window, config.joining.drops, config.joining.running), (20, 3, 1));
    assert_eq!(config.log.format, LogFormat::Text);
}

#[test]
fn every_built_in_setting_is_explained() {
    let mut explained = false;
    for line in DEFAULTS.lines().map(str::trim) {
        match line {
            "" => explained = false,
            _ if line.starts_with('#') => explained = true,
            _ if line.starts_with('[') => {}
            _ => assert!(explained, "no comment stands above “{line}”"),
        }
    }
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stardate.toml");
    std::fs::write(&path, "[server]\nworkers = 4\nbase_url = \"https://play.example\"\n[log]\nformat = \"json\"\n")
        .unwrap();
    let environment = [
        ("STARDATE_SERVER__WORKERS", "8"),
        ("STARDATE_SERVER__TRUST_PROXY", "true"),
        ("STARDATE_MAIL__TRANSPORT", "smtp"),
        ("STARDATE_MAIL__TLS", "tls"),
        ("STARDATE_MAIL__USER", "robot"),
        // Only digits, with a leading nought: it has to stay a text.
        ("STARDATE_MAIL__PASSWORD", "007"),
        ("STARDATE_CONFIG", "elsewhere.toml"),
        ("STARDATE_TEST_POSTGRES_URL", "postgres://x"),
        ("HOME", "/home/someone"),
    ];
    let config = Config::read(Some(&path), variables(&environment)).unwrap();
    assert_eq!(config.server.workers, 8);
    assert!(config.server.trust_proxy);
    assert_eq!(config.server.base_url.as_deref(), Some("https://play.example"));
    assert_eq!(config.log.format, LogFormat::Json);
    let MailTransport::Smtp(smtp) = config.mail.transport else { panic!("smtp was asked for") };
    assert_eq!(smtp.tls, Tls::Tls);
    assert_eq!(smtp.login, Some(("robot".to_owned(), "007".to_owned())));
}

#[test]
fn all_faults_are_named_at_once_with_key_place_and_what_is_expected() {
    let file =
        "[server]\nbind = \"everywhere\"\nworkers = \"many\"\nthreads = 3\n[sever]\nbind = 1\n[joining]\ndrops = 30\n";
    let environment = [
        ("STARDATE_DATABASE__URL", "mysql://root:hunter2@db/x"),
        ("STARDATE_MAIL__PORT", "70000"),
        ("STARDATE_MAIL__TRANSPORT", "pigeon"),
        ("STARDATE_MAIL__PASSWORD", "hunter2"),
        ("STARDATE_SERVER__BASE_URL", "play.example/"),
        ("STARDATE_DATABASE_URL", "sqlite:x.db"),
    ];
    let found = faults(file, &environment).join("\n");
    for part in [
        "server.bind (in ",
        "expected an IP address and a port, such as 127.0.0.1:8080, found “everywhere”",
        "expected a whole number from 1 to 64, found “many”",
        "server.threads",
        "there is no such setting; [server] has base_url, bind, trust_proxy, workers",
        "sever.bind",
        "the sections are database, games, joining, limits, log, mail, server, site",
        "joining.drops: expected at most joining.window, which is 20, found 30",
        "database.url (in the variable STARDATE_DATABASE__URL): expected an address that starts with sqlite: or postgres:",
        "mail.port (in the variable STARDATE_MAIL__PORT): expected a whole number from 1 to 65535, found 70000",
        "mail.transport (in the variable STARDATE_MAIL__TRANSPORT): expected \"folder\" or \"smtp\", found “pigeon”",
        "mail.user: a password is set without a user",
        "server.base_url",
        "STARDATE_DATABASE_URL: a setting has two underscores",
    ] {
        assert!(found.contains(part), "“{part}” is missing in:\n{found}");
    }
    assert!(!found.contains("hunter2"), "a password is shown:\n{found}");
}

#[test]
fn a_file_that_is_no_toml_is_named_with_its_line_and_not_quoted() {
    let found = faults("[mail]\nuser = \"robot\"\npassword = \"hunter2\" oops\n", &[]);
    assert!(found[0].contains("stardate.toml, line 3"), "{found:?}");
    assert!(!found[0].contains("hunter2"), "{found:?}");
}

#[test]
fn a_missing_file_is_named() {
    let error = Config::read(Some(std::path::Path::new("no/such/file.toml")), variables(&[])).unwrap_err();
    assert!(error.to_string().contains("no/such/file.toml cannot be read"), "{error}");
}

#[test]
fn debug_output_hides_what_is_secret() {
    let environment = [
        ("STARDATE_DATABASE__URL", "postgres://stardate:hunter2@db/stardate"),
        ("STARDATE_MAIL__TRANSPORT", "smtp"),
        ("STARDATE_MAIL__USER", "robot"),
        ("STARDATE_MAIL__PASSWORD", "hunter2"),
    ];
    let config = Config::read(None, variables(&environment)).unwrap();
    for text in [format!("{config:?}"), format!("{config:#?}")] {
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("robot"), "{text}");
    }
}
