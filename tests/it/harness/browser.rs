//! Headless Chromium, driven by chromedriver.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;

use super::server::PATIENCE;
use super::visitor::Page;

/// Where `tests/run` found Chromium.
const CHROMIUM: &str = "STARDATE_TEST_CHROMIUM";

/// Keys as WebDriver names them.
const ENTER: &str = "\u{E007}";
const SPACE: &str = " ";
const ARROW_DOWN: &str = "\u{E015}";

/// How a browser looks at the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Desktop,
    Phone,
    PhoneWithoutScript,
    /// The smallest screen that pages are made for.
    SmallPhone,
}

/// A running chromedriver. Ended when dropped, with its browsers.
pub struct Driver {
    child: Child,
    port: u16,
    profiles: tempfile::TempDir,
}

/// One browser.
pub struct Browser {
    pub client: Client,
    address: String,
    look: Look,
}

impl Driver {
    /// Starts it; `None` where there is no Chromium. That fails under CI and skips the test elsewhere.
    pub async fn start() -> Option<Driver> {
        let profiles = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let spawned = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A group of its own, so that its browsers can be ended with it.
            .process_group(0)
            .spawn();
        let child = match spawned {
            Ok(child) => child,
            Err(error) => {
                assert!(std::env::var_os("CI").is_none(), "chromedriver: {error}; run tests/run, which installs it");
                eprintln!("Skipped: chromedriver: {error}; tests/run installs it.");
                return None;
            }
        };
        let driver = Driver { child, port, profiles };
        let start = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            assert!(start.elapsed() < PATIENCE, "chromedriver does not answer");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Some(driver)
    }

    /// Opens a browser on the site.
    pub async fn open(&self, address: &str, look: Look) -> Browser {
        let profile = self.profiles.path().join(format!("{look:?}"));
        let mut options = serde_json::json!({
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--window-size=1280,900", format!("--user-data-dir={}", profile.display()),
            ],
        });
        if let Some(path) = std::env::var_os(CHROMIUM).or_else(|| found(&["/usr/bin/chromium"])) {
            options["binary"] = path.to_string_lossy().into_owned().into();
        }
        if look != Look::Desktop {
            let (width, height) = if look == Look::SmallPhone { (360, 740) } else { (390, 844) };
            let metrics = serde_json::json!({ "width": width, "height": height, "pixelRatio": 2.0 });
            options["mobileEmulation"] = serde_json::json!({ "deviceMetrics": metrics });
        }
        if look == Look::PhoneWithoutScript {
            options["prefs"] = serde_json::json!({ "profile.managed_default_content_settings.javascript": 2 });
        }
        let mut capabilities = serde_json::Map::new();
        capabilities.insert("goog:chromeOptions".to_owned(), options);
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{}", self.port))
            .await
            .unwrap();
        Browser { client, address: address.to_owned(), look }
    }
}

fn found(paths: &[&str]) -> Option<std::ffi::OsString> {
    paths.iter().find(|path| Path::new(path).exists()).map(Into::into)
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).status();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Opens a path of the site.
    pub async fn goto(&self, path: &str) {
        self.client.goto(&format!("{}{path}", self.address)).await.unwrap();
    }

    /// The path it is at.
    pub async fn path(&self) -> String {
        self.client.current_url().await.unwrap().path().to_owned()
    }

    /// What it shows, as text to read forms from.
    pub async fn page(&self) -> Page {
        let body = self.client.source().await.unwrap();
        Page { status: 200, path: self.path().await, location: None, body }
    }

    /// Waits until something is there.
    pub async fn wait_for(&self, css: &str) {
        let waited = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await;
        if let Err(error) = waited {
            panic!("{css} does not come: {error}\n{}", self.page().await.body);
        }
    }

    /// Waits until one of these texts is on the page.
    pub async fn wait_for_text(&self, texts: &[&str]) {
        let start = Instant::now();
        loop {
            // In the middle of going from page to page there may be no source.
            let source = self.client.source().await.unwrap_or_default();
            if texts.iter().any(|text| source.contains(text)) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "none of {texts:?} comes:\n{source}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Types into a field.
    pub async fn fill(&self, name: &str, value: &str) {
        let field = self.client.find(Locator::Css(&format!("[name='{name}']"))).await.unwrap();
        field.clear().await.unwrap();
        field.send_keys(value).await.unwrap();
    }

    /// Types into the field that this selects, in place of what is there.
    pub async fn write_into(&self, css: &str, value: &str) {
        let field = self.client.find(Locator::Css(css)).await.unwrap();
        field.clear().await.unwrap();
        field.send_keys(value).await.unwrap();
    }

    /// Takes one of several round buttons.
    pub async fn choose(&self, name: &str, value: &str) {
        let css = format!("input[name='{name}'][value='{value}'], input[name$='.{name}'][value='{value}']");
        self.activate(&css, SPACE).await;
    }

    /// Takes an entry of a list.
    pub async fn select(&self, name: &str, value: &str) {
        let list = self.client.find(Locator::Css(&format!("select[name='{name}']"))).await.unwrap();
        if self.look == Look::PhoneWithoutScript {
            let form = self.page().await.form("/t/");
            let values =
                form.lists.iter().find(|(list, _)| list == name).map(|(_, values)| values).expect("it is there");
            let steps = values.iter().position(|one| one == value).expect("it is offered");
            list.send_keys(&ARROW_DOWN.repeat(steps)).await.unwrap();
        } else {
            list.select_by_value(value).await.unwrap();
        }
        assert_eq!(list.prop("value").await.unwrap().as_deref(), Some(value), "the entry is taken");
    }

    /// Presses a button.
    pub async fn press(&self, css: &str) {
        self.activate(css, ENTER).await;
    }

    /// A click; without script a key, because chromedriver waits with a script of its own before it clicks.
    async fn activate(&self, css: &str, key: &str) {
        let element = self.client.find(Locator::Css(css)).await.unwrap();
        match self.look {
            Look::PhoneWithoutScript => element.send_keys(key).await.unwrap(),
            Look::Desktop | Look::Phone | Look::SmallPhone => element.click().await.unwrap(),
        }
    }

    /// Clicks the first match that is shown and not covered by something.
    pub async fn click_shown(&self, css: &str) {
        let mut last = String::from("there is none");
        for element in self.client.find_all(Locator::Css(css)).await.unwrap() {
            if !element.is_displayed().await.unwrap_or(false) {
                continue;
            }
            match element.click().await {
                Ok(()) => return,
                Err(error) => last = error.to_string(),
            }
        }
        panic!("{css} cannot be clicked: {last}\n{}", self.page().await.body);
    }

    /// What stands in a field now.
    pub async fn value(&self, css: &str) -> String {
        self.client.find(Locator::Css(css)).await.unwrap().prop("value").await.unwrap().unwrap_or_default()
    }

    /// Waits until a field holds a line.
    pub async fn wait_for_line(&self, css: &str, line: &str) {
        let start = Instant::now();
        while !self.value(css).await.lines().any(|one| one == line) {
            assert!(start.elapsed() < PATIENCE, "“{line}” does not come into {css}:\n{}", self.value(css).await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Whether the first match is on the screen as the page is scrolled now. Needs script.
    pub async fn is_in_view(&self, css: &str) -> bool {
        let script = "const box = document.querySelector(arguments[0])?.getBoundingClientRect(); \
                      return Boolean(box) && box.height > 0 && box.top >= 0 && box.top < window.innerHeight;";
        self.client.execute(script, vec![css.into()]).await.unwrap().as_bool().unwrap()
    }

    /// How wide the page is, in CSS pixels. Needs script.
    pub async fn width_of_content(&self) -> u64 {
        let width = self.client.execute("return document.documentElement.scrollWidth", Vec::new()).await.unwrap();
        width.as_u64().unwrap()
    }

    /// Saves a picture under target/screenshots.
    pub async fn save_screenshot(&self, name: &str) {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target").join("screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), self.client.screenshot().await.unwrap()).unwrap();
    }

    /// Ends it.
    pub async fn close(self) {
        self.client.close().await.unwrap();
    }
}
