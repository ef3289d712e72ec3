//! The object-safe face of [`Rules`], speaking JSON: what the server works with.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    Audience, Bot, Content, DataFault, Dice, Entry, Fate, Fault, Field, Leaving, Line, Meta, Openness, Phase, Rules,
    Seat, Setup, Slot, Step, StockLoadout, budget, tame,
};

/// A stored state, event or view that this version of the game cannot read.
#[derive(Debug, thiserror::Error)]
#[error("a stored {what} of {game} cannot be read: {reason}")]
pub struct StateFault {
    /// Id of the game.
    pub game: &'static str,
    /// `state` or `event`.
    pub what: &'static str,
    /// What the decoder said.
    pub reason: String,
}

/// A report entry with its event as JSON.
pub type ReportEntry = Entry<serde_json::Value>;

/// A [`Step`] in its stored form.
#[derive(Clone, Debug)]
pub struct StepJson {
    /// The state as JSON.
    pub state: String,
    /// What happened, in order.
    pub report: Vec<ReportEntry>,
}

/// One order of an examined plot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExaminedLine {
    /// Line in the text, counted from 1.
    pub no: usize,
    /// The order in canonical notation.
    pub order: String,
    /// The order in words.
    pub words: String,
}

/// A plot's text after reading and checking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examined {
    /// The orders that could be read; empty when a line could not.
    pub lines: Vec<ExaminedLine>,
    /// All that is wrong; empty means the plot is legal.
    pub faults: Vec<Fault>,
    /// Whether an order among them takes the seat out of the game, see [`Rules::gives_up`].
    pub gives_up: bool,
    /// What a legal plot leaves to the game, see [`Rules::left_open`].
    pub left_open: Vec<String>,
}

impl Examined {
    /// The plot in canonical notation, one order a line.
    pub fn canonical(&self) -> String {
        self.lines.iter().map(|line| format!("{}\n", line.order)).collect()
    }
}

/// A game the server knows, before its data is loaded.
pub trait Engine: Send + Sync {
    /// Name, seats and editions.
    fn meta(&self) -> &Meta;
    /// The files built into the binary.
    fn embedded(&self) -> Content;
    /// Reads and checks a content; the result plays tables that keep this content.
    fn load(&self, files: &Content) -> Result<Arc<dyn Game>, Vec<DataFault>>;
}

/// A game with its data loaded. States are JSON texts; see [`Rules`] for what each method promises.
pub trait Game: Send + Sync {
    /// Name, seats and editions.
    fn meta(&self) -> &Meta;
    /// SHA-256 of the content in hexadecimal: how tables name what they keep.
    fn content_hash(&self) -> &str;
    /// The content as one JSON text, as it is stored.
    fn content_body(&self) -> &str;
    /// The loaded data, for the one board file that knows the game and asks back for its [`Rules::Data`].
    fn data(&self) -> &dyn Any;
    /// See [`Rules::table_fields`].
    fn table_fields(&self) -> Vec<Field>;
    /// See [`Rules::seats`].
    fn seats(&self, options: &BTreeMap<String, String>) -> RangeInclusive<usize>;
    /// See [`Rules::seat_fields`].
    fn seat_fields(&self) -> Vec<Field>;
    /// See [`Rules::stock_loadouts`].
    fn stock_loadouts(&self) -> Vec<StockLoadout>;
    /// See [`Rules::check_loadout`].
    fn check_loadout(&self, text: &str) -> Result<String, Vec<Fault>>;
    /// See [`Rules::setup`].
    fn setup(&self, setup: &Setup, edition: u32, dice: &mut Dice) -> Result<StepJson, Vec<String>>;
    /// See [`Rules::phase`].
    fn phase(&self, state: &str) -> Result<Option<Phase>, StateFault>;
    /// See [`Rules::fates`].
    fn fates(&self, state: &str) -> Result<Vec<Fate>, StateFault>;
    /// The view as JSON; the game's board reads it back into its own type.
    fn view(&self, state: &str, viewer: Option<Seat>) -> Result<String, StateFault>;
    /// All that this seat's orders are worked out with, the state read once.
    fn desk(&self, state: &str, seat: Seat) -> Result<Box<dyn Desk + '_>, StateFault>;
    /// Reads and checks a plot for this seat: see [`Desk`] for more than one at a time.
    fn examine(&self, state: &str, seat: Seat, text: &str) -> Result<Examined, StateFault>;
    /// See [`Rules::openness`].
    fn openness(&self, state: &str) -> Result<Openness, StateFault>;
    /// The orders of a plot that stay secret to nobody, in words: see [`Rules::stays_secret`].
    fn open_orders(&self, state: &str, seat: Seat, text: &str) -> Result<Vec<String>, StateFault>;
    /// See [`Rules::offers`].
    fn offers(&self, state: &str, seat: Seat) -> Result<Vec<Slot>, StateFault>;
    /// The default plot in notation.
    fn default_plot(&self, state: &str, seat: Seat) -> Result<String, StateFault>;
    /// Closes the phase with these plots in notation, by the rules of this edition. A plot that cannot be read any more counts as missing.
    fn resolve(
        &self,
        state: &str,
        plots: &BTreeMap<Seat, String>,
        edition: u32,
        dice: &mut Dice,
    ) -> Result<StepJson, StateFault>;
    /// See [`Rules::leave`].
    fn leave(
        &self,
        state: &str,
        leavers: &[(Seat, Leaving)],
        edition: u32,
        dice: &mut Dice,
    ) -> Result<StepJson, StateFault>;
    /// The entry as a sentence for this viewer; `None` when it is not for them.
    /// `ended`: the table is over and everybody may read everything.
    fn tell(&self, entry: &ReportEntry, viewer: Option<Seat>, ended: bool) -> Result<Option<String>, StateFault>;
    /// What these entries came to for this viewer, condensed; entries that are not for them are left out.
    /// See [`Rules::digest`]; `ended` as in [`Game::tell`].
    fn digest(&self, entries: &[ReportEntry], viewer: Option<Seat>, ended: bool) -> Result<Vec<String>, StateFault>;
    /// See [`Rules::position`].
    fn position(&self, state: &str, viewer: Option<Seat>) -> Result<String, StateFault>;
    /// See [`Rules::bots`].
    fn bots(&self) -> Vec<Arc<dyn Bot>>;
    /// See [`Rules::given`].
    fn given(&self, given: &toml::Table) -> Result<String, Vec<String>>;
    /// See [`Rules::facts`].
    fn facts(&self, state: &str) -> Result<BTreeMap<String, String>, StateFault>;
}

/// What one seat works its orders out with in one position.
pub trait Desk {
    /// Reads and checks a plot.
    fn examine(&self, text: &str) -> Examined;
    /// See [`Rules::offers`].
    fn offers(&self) -> Vec<Slot>;
    /// The default plot in notation.
    fn default_plot(&self) -> String;
}

/// Makes an [`Engine`] of a game's [`Rules`].
pub fn engine<R: Rules>(rules: R) -> Arc<dyn Engine> {
    Arc::new(Wrapped { rules: Arc::new(rules) })
}

struct Wrapped<R: Rules> {
    rules: Arc<R>,
}

struct Loaded<R: Rules> {
    rules: Arc<R>,
    data: R::Data,
    body: String,
    hash: String,
}

impl<R: Rules> Engine for Wrapped<R> {
    fn meta(&self) -> &Meta {
        self.rules.meta()
    }

    fn embedded(&self) -> Content {
        self.rules.embedded()
    }

    fn load(&self, files: &Content) -> Result<Arc<dyn Game>, Vec<DataFault>> {
        let data = self.rules.load(files).map_err(|faults| {
            faults.into_iter().map(|fault| DataFault { message: tame(&fault.message), ..fault }).collect::<Vec<_>>()
        })?;
        let body = serde_json::to_string(files).expect("a map of texts is always JSON");
        let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(body.as_bytes()));
        Ok(Arc::new(Loaded { rules: Arc::clone(&self.rules), data, body, hash }))
    }
}

impl<R: Rules> Loaded<R> {
    fn state(&self, state: &str) -> Result<R::State, StateFault> {
        serde_json::from_str(state).map_err(|error| self.fault("state", &error))
    }

    fn fault(&self, what: &'static str, error: &serde_json::Error) -> StateFault {
        StateFault { game: self.rules.meta().id, what, reason: error.to_string() }
    }

    fn seat_view(&self, state: &str, viewer: Option<Seat>) -> Result<R::View, StateFault> {
        Ok(self.rules.view(&self.data, &self.state(state)?, viewer))
    }

    /// The orders of a plot that was legal when it was handed in; `None` when it can't be read now.
    fn orders(&self, view: &R::View, text: &str) -> Option<Vec<R::Order>> {
        let lines: Vec<Line<R::Order>> = self.rules.parse(&self.data, view, text).ok()?;
        Some(lines.into_iter().map(|line| line.order).collect())
    }
}

struct Seated<'a, R: Rules> {
    loaded: &'a Loaded<R>,
    view: R::View,
}

impl<R: Rules> Desk for Seated<'_, R> {
    fn examine(&self, text: &str) -> Examined {
        let Loaded { rules, data, .. } = self.loaded;
        if let Some(fault) = budget::over(text) {
            return refused(vec![fault]);
        }
        let lines = match rules.parse(data, &self.view, text) {
            Ok(lines) => lines,
            Err(faults) => return refused(told(faults)),
        };
        let faults = told(rules.check(data, &self.view, &lines));
        let gives_up = lines.iter().any(|line| rules.gives_up(&line.order));
        let left_open = if faults.is_empty() { rules.left_open(&self.view, &lines) } else { Vec::new() };
        let lines = lines
            .iter()
            .map(|line| ExaminedLine {
                no: line.no,
                order: line.order.to_string(),
                words: rules.words(data, &self.view, &line.order),
            })
            .collect();
        Examined { lines, faults, gives_up, left_open }
    }

    fn offers(&self) -> Vec<Slot> {
        self.loaded.rules.offers(&self.loaded.data, &self.view)
    }

    fn default_plot(&self) -> String {
        let orders = self.loaded.rules.default_plot(&self.loaded.data, &self.view);
        orders.iter().map(|order| format!("{order}\n")).collect()
    }
}

/// A text that could not be read.
fn refused(faults: Vec<Fault>) -> Examined {
    Examined { lines: Vec::new(), faults, gives_up: false, left_open: Vec::new() }
}

/// Faults as they are told: not more than anybody mends at a time, and fit to be shown.
fn told(mut faults: Vec<Fault>) -> Vec<Fault> {
    if faults.len() > budget::MOST_FAULTS {
        let last = faults.last().cloned().filter(budget::is_last);
        faults.truncate(budget::MOST_FAULTS);
        faults.push(last.unwrap_or_else(budget::no_more));
    }
    faults.into_iter().map(|fault| Fault { message: tame(&fault.message), ..fault }).collect()
}

fn tamed(sentences: Vec<String>) -> Vec<String> {
    sentences.iter().map(|sentence| tame(sentence)).collect()
}

fn encode<S: Serialize, E: Serialize>(step: Step<S, E>) -> StepJson {
    StepJson {
        state: serde_json::to_string(&step.state).expect("a state is always JSON"),
        report: step
            .report
            .into_iter()
            .map(|entry| Entry {
                audience: entry.audience,
                event: serde_json::to_value(&entry.event).expect("an event is always JSON"),
            })
            .collect(),
    }
}

impl<R: Rules> Game for Loaded<R> {
    fn meta(&self) -> &Meta {
        self.rules.meta()
    }

    fn content_hash(&self) -> &str {
        &self.hash
    }

    fn content_body(&self) -> &str {
        &self.body
    }

    fn data(&self) -> &dyn Any {
        &self.data
    }

    fn table_fields(&self) -> Vec<Field> {
        self.rules.table_fields(&self.data)
    }

    fn seats(&self, options: &BTreeMap<String, String>) -> RangeInclusive<usize> {
        self.rules.seats(&self.data, options)
    }

    fn seat_fields(&self) -> Vec<Field> {
        self.rules.seat_fields(&self.data)
    }

    fn stock_loadouts(&self) -> Vec<StockLoadout> {
        self.rules.stock_loadouts(&self.data)
    }

    fn check_loadout(&self, text: &str) -> Result<String, Vec<Fault>> {
        match budget::over(text) {
            Some(fault) => Err(vec![fault]),
            None => self.rules.check_loadout(&self.data, text).map_err(told),
        }
    }

    fn setup(&self, setup: &Setup, edition: u32, dice: &mut Dice) -> Result<StepJson, Vec<String>> {
        self.rules.setup(&self.data, setup, edition, dice).map(encode).map_err(tamed)
    }

    fn phase(&self, state: &str) -> Result<Option<Phase>, StateFault> {
        Ok(self.rules.phase(&self.data, &self.state(state)?))
    }

    fn fates(&self, state: &str) -> Result<Vec<Fate>, StateFault> {
        Ok(self.rules.fates(&self.state(state)?))
    }

    fn view(&self, state: &str, viewer: Option<Seat>) -> Result<String, StateFault> {
        let view = self.seat_view(state, viewer)?;
        Ok(serde_json::to_string(&view).expect("a view is always JSON"))
    }

    fn desk(&self, state: &str, seat: Seat) -> Result<Box<dyn Desk + '_>, StateFault> {
        let view = self.rules.orders_view(&self.data, &self.state(state)?, seat);
        Ok(Box::new(Seated { loaded: self, view }))
    }

    fn examine(&self, state: &str, seat: Seat, text: &str) -> Result<Examined, StateFault> {
        Ok(self.desk(state, seat)?.examine(text))
    }

    fn openness(&self, state: &str) -> Result<Openness, StateFault> {
        Ok(self.rules.openness(&self.data, &self.state(state)?))
    }

    fn open_orders(&self, state: &str, seat: Seat, text: &str) -> Result<Vec<String>, StateFault> {
        let view = self.rules.orders_view(&self.data, &self.state(state)?, seat);
        let orders = self.orders(&view, text).unwrap_or_default();
        let open = orders.iter().filter(|order| !self.rules.stays_secret(order));
        Ok(open.map(|order| self.rules.words(&self.data, &view, order)).collect())
    }

    fn offers(&self, state: &str, seat: Seat) -> Result<Vec<Slot>, StateFault> {
        Ok(self.desk(state, seat)?.offers())
    }

    fn default_plot(&self, state: &str, seat: Seat) -> Result<String, StateFault> {
        Ok(self.desk(state, seat)?.default_plot())
    }

    fn resolve(
        &self,
        state: &str,
        plots: &BTreeMap<Seat, String>,
        edition: u32,
        dice: &mut Dice,
    ) -> Result<StepJson, StateFault> {
        let state = self.state(state)?;
        let mut orders = BTreeMap::new();
        for (seat, text) in plots {
            let view = self.rules.orders_view(&self.data, &state, *seat);
            if let Some(plot) = self.orders(&view, text) {
                orders.insert(*seat, plot);
            }
        }
        Ok(encode(self.rules.resolve(&self.data, state, &orders, edition, dice)))
    }

    fn leave(
        &self,
        state: &str,
        leavers: &[(Seat, Leaving)],
        edition: u32,
        dice: &mut Dice,
    ) -> Result<StepJson, StateFault> {
        Ok(encode(self.rules.leave(&self.data, self.state(state)?, leavers, edition, dice)))
    }

    fn tell(&self, entry: &ReportEntry, viewer: Option<Seat>, ended: bool) -> Result<Option<String>, StateFault> {
        let audience: &Audience = &entry.audience;
        if !ended && !audience.includes(viewer) {
            return Ok(None);
        }
        let event: R::Event =
            serde_json::from_value(entry.event.clone()).map_err(|error| self.fault("event", &error))?;
        Ok(Some(self.rules.tell(&self.data, &event, viewer)))
    }

    fn digest(&self, entries: &[ReportEntry], viewer: Option<Seat>, ended: bool) -> Result<Vec<String>, StateFault> {
        let readable = entries.iter().filter(|entry| ended || entry.audience.includes(viewer));
        let events: Result<Vec<R::Event>, StateFault> = readable
            .map(|entry| R::Event::deserialize(&entry.event).map_err(|error| self.fault("event", &error)))
            .collect();
        Ok(self.rules.digest(&self.data, &events?, viewer))
    }

    fn position(&self, state: &str, viewer: Option<Seat>) -> Result<String, StateFault> {
        Ok(self.rules.position(&self.data, &self.seat_view(state, viewer)?))
    }

    fn bots(&self) -> Vec<Arc<dyn Bot>> {
        self.rules.bots()
    }

    fn given(&self, given: &toml::Table) -> Result<String, Vec<String>> {
        let state = self.rules.given(&self.data, given).map_err(tamed)?;
        Ok(serde_json::to_string(&state).expect("a state is always JSON"))
    }

    fn facts(&self, state: &str) -> Result<BTreeMap<String, String>, StateFault> {
        Ok(self.rules.facts(&self.data, &self.state(state)?))
    }
}
