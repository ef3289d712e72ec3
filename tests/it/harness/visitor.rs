//! A person with a browser without script: follows links, fills in forms, keeps cookies.

use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use super::letters;

/// Password of everybody in the tests.
pub const PASSWORD: &str = "correct horse battery staple";

/// A browser of one person.
pub struct Visitor {
    agent: ureq::Agent,
    /// The server it speaks to; another one, or the same at another port, when a test says so.
    address: Arc<RwLock<String>>,
}

/// An answer of the server.
#[derive(Debug)]
pub struct Page {
    pub status: u16,
    /// Path it was asked for at, after redirects.
    pub path: String,
    /// Where a redirect leads.
    pub location: Option<String>,
    pub body: String,
}

/// A form of a page with the values it came with.
#[derive(Clone, Debug)]
pub struct Form {
    pub action: String,
    pub fields: Vec<(String, String)>,
    /// The values of each list.
    pub lists: Vec<(String, Vec<String>)>,
    /// All controls with the value each is sent with: boxes and buttons too, ticked and pressed or not.
    pub controls: Vec<Control>,
    /// Whether it is posted; else it only asks for a page.
    pub posted: bool,
}

/// A control of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    pub name: String,
    /// The value that nobody can change; of a control that takes any, none.
    pub value: Option<String>,
    /// Whether people write texts of several lines into it.
    pub is_text: bool,
}

/// No answer came: the server was gone, or went away in the middle.
#[derive(Debug)]
pub struct Gone(pub String);

impl Visitor {
    /// Somebody new.
    pub fn new(address: &str) -> Visitor {
        Visitor::sharing(&Arc::new(RwLock::new(address.to_owned())))
    }

    /// Somebody new who goes where `address` leads from time to time.
    pub fn sharing(address: &Arc<RwLock<String>>) -> Visitor {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .new_agent();
        Visitor { agent, address: Arc::clone(address) }
    }

    /// Opens a page; an error when no whole answer came.
    pub fn try_get(&self, path: &str) -> Result<Page, Gone> {
        self.follow(read(path, self.agent.get(self.url(path)).call())?)
    }

    /// Opens a page.
    pub fn get(&self, path: &str) -> Page {
        self.try_get(path).unwrap_or_else(|gone| panic!("GET {path}: {}", gone.0))
    }

    /// Sends a form and gives the answer itself, a redirect too; an error when no whole answer came. After a
    /// redirect the server has done what it was asked, whatever happens next.
    pub fn try_post(&self, form: &Form) -> Result<Page, Gone> {
        let fields = form.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let path = form.action.split('#').next().unwrap_or_default();
        read(path, self.agent.post(self.url(path)).send_form(fields))
    }

    /// Sends a form and follows to the page it leads to; an error when no whole answer came.
    pub fn try_send(&self, form: &Form) -> Result<Page, Gone> {
        self.follow(self.try_post(form)?)
    }

    fn follow(&self, mut page: Page) -> Result<Page, Gone> {
        for _ in 0..10 {
            let Some(location) = page.location.take().filter(|_| (300..400).contains(&page.status)) else { break };
            let path = location.split('#').next().unwrap_or_default();
            page = read(path, self.agent.get(self.url(path)).call())?;
        }
        Ok(page)
    }

    /// Sends a form.
    pub fn send(&self, form: &Form) -> Page {
        self.try_send(form).unwrap_or_else(|gone| panic!("POST {}: {}", form.action, gone.0))
    }

    fn url(&self, path: &str) -> String {
        if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.address.read().unwrap()) }
    }

    /// The same person, with the same cookies, in another window that speaks to `address`.
    pub fn clone_at(&self, address: &str) -> Visitor {
        Visitor { agent: self.agent.clone(), address: Arc::new(RwLock::new(address.to_owned())) }
    }

    /// Sends it to another server from now on.
    pub fn go_to(&self, address: &str) {
        address.clone_into(&mut self.address.write().unwrap());
    }

    /// Signs up, follows the link of the letter, and is signed in afterwards.
    pub fn sign_up(&self, name: &str, mail_folder: &Path) {
        let address = format!("{}@players.example", name.to_lowercase());
        let page = self.get("/sign-up");
        let form = page.form("/sign-up").set("name", name).set("email", &address).set("password", PASSWORD);
        let sent = self.send(&form);
        assert_eq!(sent.status, 200, "{}", sent.body);
        let link = letters::wait_for_link(mail_folder, &address, "/confirm/");
        let path = &link[link.find("/confirm/").expect("that was asked for")..];
        let page = self.get(path);
        let confirmed = self.send(&page.form("/confirm/"));
        assert_eq!(confirmed.status, 200, "{}", confirmed.body);
        if !self.is_signed_in() {
            self.sign_in(&address);
        }
    }

    /// Signs in.
    pub fn sign_in(&self, address: &str) {
        let page = self.get("/sign-in");
        let done = self.send(&page.form("/sign-in").set("who", address).set("password", PASSWORD));
        assert_eq!(done.status, 200, "{}", done.body);
        assert!(self.is_signed_in(), "{}", done.body);
    }

    /// Whether the pages show a way to sign out.
    pub fn is_signed_in(&self) -> bool {
        self.get("/").body.contains("action=\"/sign-out\"")
    }
}

fn read(path: &str, result: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Page, Gone> {
    let mut response = result.map_err(|error| Gone(error.to_string()))?;
    let location = response.headers().get("location").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = response.body_mut().read_to_string().map_err(|error| Gone(error.to_string()))?;
    Ok(Page { status: response.status().as_u16(), path: path.to_owned(), location, body })
}

impl Page {
    /// The first form whose action begins with `action` (`""`: the first form of all that is posted).
    pub fn form(&self, action: &str) -> Form {
        self.find_form(action).unwrap_or_else(|| panic!("{} has no form to {action}:\n{}", self.path, self.body))
    }

    /// Like [`Page::form`], where there may be none.
    pub fn find_form(&self, action: &str) -> Option<Form> {
        self.forms().into_iter().find(|form| form.action.starts_with(action))
    }

    /// All forms of the page.
    pub fn forms(&self) -> Vec<Form> {
        forms(&self.body, &self.path)
    }
}

/// The forms of a page that was asked for at `path`.
pub fn forms(body: &str, path: &str) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    let mut open: Option<Form> = None;
    let mut choice: Option<(String, Option<String>)> = None;
    for (tag, rest) in tags(body) {
        let value = |name: &str| attribute(tag, name);
        let kind = tag.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next().unwrap_or_default();
        if kind == "form" {
            let action = value("action").unwrap_or_else(|| path.to_owned());
            let posted = value("method").as_deref() == Some("post");
            open = Some(Form { action, posted, fields: Vec::new(), lists: Vec::new(), controls: Vec::new() });
        } else if tag.starts_with("/form") {
            forms.extend(open.take());
        } else if let Some(form) = &mut open {
            form.add_tag(kind, tag, rest, &mut choice);
        }
    }
    forms
}

impl Form {
    fn add_tag(&mut self, kind: &str, tag: &str, rest: &str, choice: &mut Option<(String, Option<String>)>) {
        let value = |name: &str| attribute(tag, name);
        let named = value("name");
        match (kind, named) {
            ("input", Some(name)) => {
                let kind = value("type").unwrap_or_default();
                let is_fixed = matches!(kind.as_str(), "radio" | "checkbox" | "hidden" | "submit");
                let unset = if kind == "checkbox" { "on" } else { "" };
                let value = value("value").unwrap_or_else(|| unset.to_owned());
                let fixed = is_fixed.then(|| value.clone());
                self.controls.push(Control { name: name.clone(), value: fixed, is_text: false });
                let ticked = !matches!(kind.as_str(), "radio" | "checkbox") || has_flag(tag, "checked");
                if ticked && kind != "submit" {
                    self.fields.push((name, value));
                }
            }
            ("textarea", Some(name)) => {
                let text = rest.split("</textarea>").next().unwrap_or_default();
                let text = text.strip_prefix('\n').unwrap_or(text);
                self.controls.push(Control { name: name.clone(), value: None, is_text: true });
                self.fields.push((name, unescape(text)));
            }
            ("button", Some(name)) => {
                self.controls.push(Control { name, value: Some(value("value").unwrap_or_default()), is_text: false });
            }
            ("select", Some(name)) => {
                self.lists.push((name.clone(), Vec::new()));
                *choice = Some((name, None));
            }
            ("option", _) => {
                let (Some(value), Some((name, chosen))) = (value("value"), choice.as_mut()) else { return };
                let control = Control { name: name.clone(), value: Some(value.clone()), is_text: false };
                self.controls.push(control);
                if chosen.is_none() || has_flag(tag, "selected") {
                    *chosen = Some(value.clone());
                }
                if let Some((_, values)) = self.lists.last_mut() {
                    values.push(value);
                }
            }
            _ if tag.starts_with("/select") => {
                if let Some((name, Some(chosen))) = choice.take() {
                    self.fields.push((name, chosen));
                }
            }
            _ => {}
        }
    }

    /// Whether it has a control that can be sent with this value.
    pub fn takes(&self, name: &str, value: &str) -> bool {
        let mut controls = self.controls.iter().filter(|control| control.name == name);
        controls.any(|control| control.value.as_deref().is_none_or(|fixed| fixed == value))
    }

    /// Fills in a field, or presses a button. Fails when the form has no such control, or one that is never sent so.
    #[track_caller]
    pub fn set(mut self, name: &str, value: &str) -> Form {
        assert!(
            self.takes(name, value),
            "the form to {} has no {name} for “{value}”: {:?}",
            self.action,
            self.controls
        );
        self.fields.retain(|(field, _)| field != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

/// Every tag's inside, with the text after it.
pub fn tags(html: &str) -> impl Iterator<Item = (&str, &str)> {
    html.match_indices('<').filter_map(|(start, _)| {
        let inside = &html[start + 1..];
        let end = inside.find('>')?;
        Some((&inside[..end], &inside[end + 1..]))
    })
}

/// The value of an attribute of a tag.
pub fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!(" {name}=\"")).or_else(|| tag.find(&format!("\n{name}=\"")))?;
    let rest = &tag[start + name.len() + 3..];
    Some(unescape(&rest[..rest.find('"')?]))
}

fn has_flag(tag: &str, name: &str) -> bool {
    tag.split_whitespace().any(|word| word.trim_end_matches('/') == name || word.starts_with(&format!("{name}=")))
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        plain.push_str(&rest[..start]);
        let Some(end) = rest[start..].find(';').map(|end| start + end) else { break };
        let entity = &rest[start + 1..end];
        let number = entity
            .strip_prefix("#x")
            .map(|hex| u32::from_str_radix(hex, 16))
            .or_else(|| entity.strip_prefix('#').map(str::parse));
        match (entity, number) {
            ("amp", _) => plain.push('&'),
            ("lt", _) => plain.push('<'),
            ("gt", _) => plain.push('>'),
            ("quot", _) => plain.push('"'),
            ("apos", _) => plain.push('\''),
            (_, Some(Ok(code))) => plain.extend(char::from_u32(code)),
            _ => plain.push_str(&rest[start..=end]),
        }
        rest = &rest[end + 1..];
    }
    plain.push_str(rest);
    plain
}

#[test]
fn forms_are_read_as_a_browser_reads_them() {
    let body = "<form action=\"/a\" method=\"post\"><input type=\"hidden\" name=\"csrf\" value=\"x&amp;y\">\
        <input name=\"title\" value=\"&#39;hi&#x27;\"><input type=\"radio\" name=\"r\" value=\"1\">\
        <input type=\"radio\" name=\"r\" value=\"2\" checked><input type=\"checkbox\" name=\"c\" value=\"yes\">\
        <select name=\"s\"><option value=\"a\">A</option><option value=\"b\" selected>B</option></select>\
        <textarea name=\"text\">\npass &lt;x&gt;</textarea><button name=\"do\" value=\"go\">Go</button></form>";
    let page = Page { status: 200, path: "/".to_owned(), location: None, body: body.to_owned() };
    let form = page.form("/a");
    let expected = [("csrf", "x&y"), ("title", "'hi'"), ("r", "2"), ("s", "b"), ("text", "pass <x>")]
        .map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(form.fields, expected);
    assert_eq!(form.lists, [("s".to_owned(), vec!["a".to_owned(), "b".to_owned()])]);
    assert_eq!(form.set("r", "1").get("r"), Some("1"));
}
