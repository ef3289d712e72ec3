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
        ("STARDATE_SERVER__TRUSTED_PROXIES", "2"),
        ("STARDATE_MAIL__TRANSPORT", "smtp"),
        ("STARDATE_MAIL__FROM", "Stardate <play@play.example>"),
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
    assert_eq!(config.server.trusted_proxies, 2);
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
        "there is no such setting; [server] has base_url, bind, trusted_proxies, workers",
        "sever.bind",
        "the sections are database, games, joining, limits, log, mail, server, site",
        "expected at most joining.window, which is 20, found 30",
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
        ("STARDATE_SERVER__BASE_URL", "https://play.example"),
        ("STARDATE_MAIL__TRANSPORT", "smtp"),
        ("STARDATE_MAIL__FROM", "Stardate <play@play.example>"),
        ("STARDATE_MAIL__USER", "robot"),
        ("STARDATE_MAIL__PASSWORD", "hunter2"),
    ];
    let config = Config::read(None, variables(&environment)).unwrap();
    for text in [format!("{config:?}"), format!("{config:#?}")] {
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("robot"), "{text}");
    }
}

/// The one fault of these variables.
fn fault(environment: &[(&str, &str)]) -> String {
    let found = faults("", environment);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

const SMTP: [(&str, &str); 3] = [
    ("STARDATE_MAIL__TRANSPORT", "smtp"),
    ("STARDATE_MAIL__FROM", "Stardate <play@play.example>"),
    ("STARDATE_SERVER__BASE_URL", "https://play.example"),
];

/// The settings of a site that sends letters, with one more.
fn smtp_and<'a>(name: &'a str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    SMTP.iter().copied().filter(|(other, _)| *other != name).chain([(name, value)]).collect()
}

#[test]
fn an_address_of_the_site_that_cannot_be_opened_is_refused_with_the_cure() {
    let base_url = |url| fault(&[("STARDATE_SERVER__BASE_URL", url)]);
    let path = base_url("http://example.org/stardate");
    assert!(path.starts_with("server.base_url (in the variable STARDATE_SERVER__BASE_URL): found"), "{path}");
    assert!(path.contains("http://stardate.example.org"), "{path}");
    for wrong in [
        "example.org",
        "ftp://example.org",
        "http://",
        "http:///x",
        "http://example.org/",
        "http://example.org?x=1",
        "http://example.org#top",
        "http://exa mple.org",
        "http://example.org:port",
    ] {
        let found = base_url(wrong);
        assert!(found.contains("expected nothing, or an address that starts with http://"), "{wrong}: {found}");
    }
    assert!(base_url("http://me:secret@example.org").contains("it must not have a user or password"));
    assert!(!base_url("http://me:secret@example.org").contains("secret"));
    for good in ["http://127.0.0.1:8080", "http://[::1]:8080", "http://play.example", "http://bücher.example"] {
        assert!(Config::read(None, variables(&[("STARDATE_SERVER__BASE_URL", good)])).is_ok(), "{good}");
    }
    for everywhere in ["0.0.0.0:8080", "[::]:8080"] {
        let found = fault(&[("STARDATE_SERVER__BIND", everywhere)]);
        assert!(found.starts_with("server.base_url: is empty while server.bind listens on every address"), "{found}");
    }
}

#[test]
fn letters_that_would_not_arrive_or_lead_nowhere_are_refused_at_the_start() {
    assert!(Config::read(None, variables(&SMTP)).is_ok());
    let open = fault(&[("STARDATE_SERVER__BASE_URL", "https://play.example")]);
    assert!(open.starts_with("mail.transport: \"folder\" shows every letter"), "{open}");
    for local in
        ["", "http://localhost", "https://127.0.0.1", "http://[::1]:8080", "http://0.0.0.0", "http://a.localhost:80"]
    {
        let found = fault(&smtp_and("STARDATE_SERVER__BASE_URL", local));
        assert!(found.starts_with("server.base_url") && found.contains("would send players there"), "{found}");
    }
    for local in ["Stardate <play@localhost>", "play@mail.localhost", "play@LOCALHOST"] {
        let found = fault(&smtp_and("STARDATE_MAIL__FROM", local));
        assert!(found.starts_with("mail.from") && found.contains("of your own domain"), "{found}");
    }
    let found = fault(&smtp_and("STARDATE_MAIL__USER", "robot"));
    assert!(found.starts_with("mail.password: mail.user is set without a password"), "{found}");
    assert!(found.contains("STARDATE_MAIL__PASSWORD"), "{found}");
}

#[test]
fn a_database_that_would_forget_or_has_no_name_is_refused() {
    for forgets in ["sqlite::memory:", "sqlite://:memory:", "sqlite:file:x?mode=memory"] {
        let found = fault(&[("STARDATE_DATABASE__URL", forgets)]);
        assert!(found.contains("a database in memory forgets every game"), "{forgets}: {found}");
    }
    for (wrong, says) in [
        ("sqlite:", "the name of the SQLite file is missing"),
        ("sqlite:games/", "the name of the SQLite file is missing"),
        ("sqlite:file:x.db", "without file:"),
        ("postgres://", "expected an address that starts with sqlite: or postgres:"),
        ("stardate.db", "expected an address that starts with sqlite: or postgres:"),
    ] {
        let found = fault(&[("STARDATE_DATABASE__URL", wrong)]);
        assert!(found.contains(says), "{wrong}: {found}");
    }
}

#[test]
fn a_filter_of_nothing_is_refused_and_off_is_not() {
    for nothing in ["", "  "] {
        let found = fault(&[("STARDATE_LOG__FILTER", nothing)]);
        assert!(found.contains("log.filter") && found.contains("or off"), "{found}");
    }
    assert!(Config::read(None, variables(&[("STARDATE_LOG__FILTER", "off")])).is_ok());
}

#[test]
fn a_file_of_certificates_has_to_hold_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ca.pem");
    let named = path.display().to_string();
    let missing = fault(&[("STARDATE_MAIL__CA_FILE", &named)]);
    assert!(missing.starts_with("mail.ca_file") && missing.contains("ca.pem cannot be read"), "{missing}");
    for empty in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
        std::fs::write(&path, empty).unwrap();
        let found = fault(&[("STARDATE_MAIL__CA_FILE", &named)]);
        assert!(found.contains("ca.pem has no certificate"), "{found}");
    }
    std::fs::write(&path, "-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n").unwrap();
    let found = fault(&[("STARDATE_MAIL__CA_FILE", &named)]);
    assert!(found.contains("a certificate in") && found.contains("cannot be read"), "{found}");
    std::fs::write(&path, include_str!("smtp/ca.pem")).unwrap();
    assert!(Config::read(None, variables(&[("STARDATE_MAIL__CA_FILE", &named)])).is_ok());
}

#[test]
fn variables_of_an_orchestrator_are_not_settings_and_slips_still_are() {
    let others = [
        ("STARDATE_PORT", "tcp://10.0.0.7:8080"),
        ("STARDATE_SERVICE_HOST", "10.0.0.7"),
        ("STARDATE_SERVICE_PORT", "8080"),
        ("STARDATE_SERVICE_PORT_HTTP", "8080"),
        ("STARDATE_PORT_8080_TCP", "tcp://10.0.0.7:8080"),
        ("STARDATE_PORT_8080_TCP_PROTO", "tcp"),
        ("STARDATE_PORT_8080_TCP_PORT", "8080"),
        ("STARDATE_PORT_8080_TCP_ADDR", "10.0.0.7"),
        ("STARDATE_WEB_SERVICE_HOST", "10.0.0.7"),
        ("STARDATE_WEB_PORT_80_UDP_ADDR", "10.0.0.7"),
        ("STARDATE_NAME", "/web/stardate"),
    ];
    assert!(Config::read(None, variables(&others)).is_ok());
    for slip in ["STARDATE_PORT", "STARDATE_SERVER_PORT", "STARDATE_MAIL_HOST", "STARDATE_NAME"] {
        let found = fault(&[(slip, "8080")]);
        assert!(found.contains("two underscores"), "{found}");
    }
}

#[test]
fn how_start_up_faults_are_laid_out_is_known_from_broken_settings_too() {
    let json = [("STARDATE_LOG__FORMAT", "json"), ("STARDATE_SERVER__WORKERS", "no")];
    assert_eq!(stardate::config::log_format(None, variables(&json)), LogFormat::Json);
    assert_eq!(stardate::config::log_format(None, variables(&[("STARDATE_LOG__FORMAT", "xml")])), LogFormat::Text);
}

#[test]
fn a_setting_that_has_another_name_now_is_refused_with_it() {
    let found = faults("[server]\ntrust_proxy = true\n", &[("STARDATE_SERVER__TRUST_PROXY", "false")]);
    assert_eq!(found.len(), 2);
    for (fault, place) in found.iter().zip(["stardate.toml", "STARDATE_SERVER__TRUST_PROXY"]) {
        assert!(fault.starts_with("server.trust_proxy (in ") && fault.contains(place), "{fault}");
        assert!(fault.contains("this setting is now server.trusted_proxies"), "{fault}");
    }
}
