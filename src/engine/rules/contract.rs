//! What a game has to bring.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Bot, Dice, Seat};

/// The data files of a game by their path below `config/games/<game>/`, as raw text.
/// A table keeps the content it started with, so that editing a file never changes a running table.
pub type Content = BTreeMap<String, String>;

/// What the server shows of a game and how it tells it from others.
#[derive(Clone, Debug)]
pub struct Meta {
    /// Stable short name, used in addresses, files and the database: `conquest`.
    pub id: &'static str,
    /// Name for people: `ConQuest`.
    pub name: &'static str,
    /// One or two sentences for the page where a game is chosen.
    pub blurb: &'static str,
    /// How many seats a table may have.
    pub seats: RangeInclusive<usize>,
    /// Newest edition of the rules, counted from 1; a fix of the rules counts it up and applies from the next phase
    /// on. Older ones stay executable, so that every record can be played again.
    pub edition: u32,
    /// Shape of the stored state; a change counts it up and brings an upgrade.
    pub format: u32,
    /// The rules as players read them, in Markdown, each with its number. No part of the content that tables keep.
    pub rules_text: &'static str,
}

/// A fault of a data file: where it is and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct DataFault {
    /// Path below the game's folder.
    pub file: String,
    /// Line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// A sentence that names the field and says what is wrong.
    pub message: String,
}

/// A fault of a plot or of a text handed in: a sentence, with the line it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Line counted from 1; `None` when the fault is one of the whole.
    pub line: Option<usize>,
    /// What is wrong and what to do, as a sentence.
    pub message: String,
}

impl Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "Line {line}: {}", self.message),
            None => write!(f, "{}", self.message),
        }
    }
}

/// Something to choose when a table is made or a seat is taken.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name in forms and in the stored options.
    pub key: &'static str,
    /// Label for people.
    pub label: &'static str,
    /// One sentence of help.
    pub help: &'static str,
    /// What kind of answer it takes.
    pub kind: FieldKind,
}

/// The answers a [`Field`] takes.
#[derive(Clone, Debug)]
pub enum FieldKind {
    /// One of these; the first is the default.
    Choice(Vec<FieldChoice>),
    /// A stock loadout by its id, or a text of the player's own that [`Rules::check_loadout`] accepts.
    Loadout,
}

/// One answer of a choice.
#[derive(Clone, Debug)]
pub struct FieldChoice {
    /// Stored value.
    pub value: String,
    /// Label for people.
    pub label: String,
    /// One sentence about it; may be empty.
    pub summary: String,
}

/// A ready-made set of what a player brings to the table (a Control Group, a deck).
#[derive(Clone, Debug)]
pub struct StockLoadout {
    /// Stored value.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// One sentence: its way to win.
    pub summary: String,
    /// Its content in the loadout notation, one entry a line.
    pub text: String,
}

/// Answers of one seat to [`Rules::seat_fields`].
pub type SeatSetup = BTreeMap<String, String>;

/// Everything a table starts from, apart from content and dice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Answers to [`Rules::table_fields`].
    pub options: BTreeMap<String, String>,
    /// One entry a seat, in seat order. Loadouts are copied in here as text.
    pub seats: Vec<SeatSetup>,
}

/// Whether a phase starts a clock of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockUse {
    /// Each seat due gets the table's whole limit.
    Fresh,
    /// The clock of the phase before runs on: many small steps in one turn.
    Inherit,
}

/// A seat that owes orders in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    /// Who.
    pub seat: Seat,
    /// Whether the phase waits for it. An optional seat may act, and is never dropped for not acting.
    pub required: bool,
}

/// The open phase of a state. At least one seat is due in it: phases in which nobody has a choice
/// are passed by the game itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Stable short name: `deploy`.
    pub key: String,
    /// Name for people, without the turn: `Deploy`.
    pub name: String,
    /// Turn, counted from 1.
    pub turn: u32,
    /// Seats due, in seat order, never empty.
    pub due: Vec<Due>,
    /// Whether its clock starts afresh.
    pub clock: ClockUse,
    /// Whether plots are secret until it resolves; then each publishes a sealed hash.
    pub simultaneous: bool,
}

/// What others are shown of a plot once its phase has resolved. When the table is over everything is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Openness {
    /// All of it.
    Whole,
    /// Its orders without those that stay secret; whether there are any is not told.
    WithoutSecrets,
    /// Nothing; the report tells what was done.
    Nothing,
}

/// Who may read a report entry before the table has ended. Afterwards everybody may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everybody, watchers included.
    All,
    /// These seats only.
    Only(Vec<Seat>),
}

impl Audience {
    /// Whether this viewer (`None`: somebody without a seat) is in it.
    pub fn includes(&self, viewer: Option<Seat>) -> bool {
        match self {
            Audience::All => true,
            Audience::Only(seats) => viewer.is_some_and(|seat| seats.contains(&seat)),
        }
    }
}

/// One entry of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<E> {
    /// Who may read it.
    pub audience: Audience,
    /// What happened.
    pub event: E,
}

/// What a seat's part in the game has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Still in play.
    Active,
    /// Has won.
    Won,
    /// Has lost: beaten, or another won.
    Lost,
    /// The game ended in a tie.
    Drew,
    /// Gave up.
    Resigned,
    /// Let the clock run out.
    Dropped,
}

/// Why a seat leaves a running game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaving {
    /// By its own decision.
    Resigned,
    /// By the clock.
    Dropped,
}

/// A new state and the report of what led to it.
#[derive(Clone, Debug)]
pub struct Step<S, E> {
    /// The state afterwards.
    pub state: S,
    /// What happened, in order.
    pub report: Vec<Entry<E>>,
}

/// An order with the line of the text it stood in, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<O> {
    /// Line in the text as handed in.
    pub no: usize,
    /// The order.
    pub order: O,
}

/// Something a seat can give an order about: a piece, a type to deploy, an amount of damage.
/// Pages make one form control of it, and a clickable thing on the board where `subject` is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Unique in the list; the name of the form control.
    pub key: String,
    /// Id of the thing on the board this is about (`A3`); the board draws it with `data-subject`.
    pub subject: Option<String>,
    /// Heading under which slots are listed together: `Ships`, `From your Control Group`.
    pub group: String,
    /// Label for people: `A3 Klingon Lieutenant`.
    pub label: String,
    /// What can be ordered; "nothing" is always possible besides and not listed.
    pub offers: Vec<Offer>,
}

/// One order that is legal by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The order in the game's notation.
    pub order: String,
    /// The same in words, short: `attack B5 Vor'cha`.
    pub label: String,
    /// Id of the thing on the board to click after the subject; the board draws it with `data-piece`.
    pub target: Option<String>,
}

/// The rules of one game. Pure: no clock, I/O, floats or hash order; chance only through [`Dice`].
///
/// Laws (checked for every game by the conformance suite on random legal play): `resolve` is a function;
/// default plots always pass `check` and always end the game; state, plots and reports survive encoding;
/// what is secret to others changes neither a seat's view nor its refusals; views are valid in every phase
/// and after the end.
pub trait Rules: Send + Sync + 'static {
    /// The checked data of a game: maps, pieces, cards.
    type Data: Send + Sync + 'static;
    /// Everything there is to know about a running game.
    type State: Clone + Debug + Serialize + DeserializeOwned;
    /// One order.
    type Order: Clone + Debug + PartialEq + Display;
    /// One thing that happened.
    type Event: Clone + Debug + Serialize + DeserializeOwned;
    /// What one seat, or somebody without a seat, may know. Built up field by field.
    type View: Clone + Debug + PartialEq + Serialize + DeserializeOwned;

    /// Name, seats and editions.
    fn meta(&self) -> &Meta;

    /// The files built into the binary.
    fn embedded(&self) -> Content;

    /// Reads and checks the files. Every fault is reported, not just the first.
    fn load(&self, files: &Content) -> Result<Self::Data, Vec<DataFault>>;

    /// What is chosen when a table is made.
    fn table_fields(&self, data: &Self::Data) -> Vec<Field>;

    /// How many seats a table with these answers to [`Rules::table_fields`] may have: within the game's own
    /// range, narrower where a map or another choice asks for it.
    fn seats(&self, _data: &Self::Data, _options: &BTreeMap<String, String>) -> RangeInclusive<usize> {
        self.meta().seats.clone()
    }

    /// What each player chooses when sitting down.
    fn seat_fields(&self, data: &Self::Data) -> Vec<Field>;

    /// Ready-made loadouts; empty for a game without.
    fn stock_loadouts(&self, data: &Self::Data) -> Vec<StockLoadout>;

    /// Checks a player's own loadout and returns it in canonical form.
    fn check_loadout(&self, data: &Self::Data, text: &str) -> Result<String, Vec<Fault>>;

    /// The first state. Called with answers that passed the fields' checks; what is wrong all the same is
    /// said in sentences and nothing starts. Runs on until somebody is due, by the rules of this edition.
    fn setup(
        &self,
        data: &Self::Data,
        setup: &Setup,
        edition: u32,
        dice: &mut Dice,
    ) -> Result<Step<Self::State, Self::Event>, Vec<String>>;

    /// The open phase; `None` when the game is over.
    fn phase(&self, data: &Self::Data, state: &Self::State) -> Option<Phase>;

    /// One entry a seat, in seat order. All are decided when the game is over, none becomes `Active` again.
    fn fates(&self, state: &Self::State) -> Vec<Fate>;

    /// What this viewer may know.
    fn view(&self, data: &Self::Data, state: &Self::State, viewer: Option<Seat>) -> Self::View;

    /// As much of the view as orders are read, checked and offered with. A game whose view carries texts for
    /// pages leaves them out here.
    fn orders_view(&self, data: &Self::Data, state: &Self::State, seat: Seat) -> Self::View {
        self.view(data, state, Some(seat))
    }

    /// Reads a plot. Depends only on what the seat may see; every faulty line is reported.
    fn parse(&self, data: &Self::Data, view: &Self::View, text: &str) -> Result<Vec<Line<Self::Order>>, Vec<Fault>>;

    /// Checks a plot as a whole; empty means legal. Depends only on what the seat may see.
    fn check(&self, data: &Self::Data, view: &Self::View, plot: &[Line<Self::Order>]) -> Vec<Fault>;

    /// An order in words, as the player reads it back before handing in.
    fn words(&self, data: &Self::Data, view: &Self::View, order: &Self::Order) -> String;

    /// What a plot leaves to the game, as the player reads it back below the orders, a sentence each; empty where it
    /// leaves nothing. Depends only on what the seat may see.
    fn left_open(&self, view: &Self::View, plot: &[Line<Self::Order>]) -> Vec<String> {
        let _ = (view, plot);
        Vec::new()
    }

    /// What others are shown of the plots of this phase once it has resolved. It goes by the phase alone: were it by
    /// what was ordered, it would tell that something secret was.
    fn openness(&self, data: &Self::Data, state: &Self::State) -> Openness {
        let _ = (data, state);
        Openness::Whole
    }

    /// Whether an order stays secret to others after its phase has resolved, because it tells what a view hides
    /// (a standing order, say). Matters in phases that open [`Openness::WithoutSecrets`].
    fn stays_secret(&self, order: &Self::Order) -> bool {
        let _ = order;
        false
    }

    /// Whether an order takes its own seat out of the game, as resigning does. A player does that only by handing it
    /// in: a draft with such an order is never carried out in their place when the time runs out.
    fn gives_up(&self, order: &Self::Order) -> bool {
        let _ = order;
        false
    }

    /// Everything the seat of this view can order now.
    fn offers(&self, data: &Self::Data, view: &Self::View) -> Vec<Slot>;

    /// What is done for a seat that says nothing. Always legal.
    fn default_plot(&self, data: &Self::Data, view: &Self::View) -> Vec<Self::Order>;

    /// Closes the open phase with these plots (a seat due and missing gets its default plot) and runs on
    /// until somebody is due or the game is over. Total: illegal orders are skipped and reported. `edition`: the
    /// one to resolve by. A newer one than [`Meta::edition`] counts as that.
    fn resolve(
        &self,
        data: &Self::Data,
        state: Self::State,
        plots: &BTreeMap<Seat, Vec<Self::Order>>,
        edition: u32,
        dice: &mut Dice,
    ) -> Step<Self::State, Self::Event>;

    /// Takes these seats out of the running game, all at once, by the rules of this edition.
    fn leave(
        &self,
        data: &Self::Data,
        state: Self::State,
        leavers: &[(Seat, Leaving)],
        edition: u32,
        dice: &mut Dice,
    ) -> Step<Self::State, Self::Event>;

    /// An event as a sentence for this viewer.
    fn tell(&self, data: &Self::Data, event: &Self::Event, viewer: Option<Seat>) -> String;

    /// What these events came to for this viewer, who may read them all: condensed where the game has much to
    /// tell, so that somebody who was away for several turns reads a few lines. Every event by itself otherwise.
    fn digest(&self, data: &Self::Data, events: &[Self::Event], viewer: Option<Seat>) -> Vec<String> {
        events.iter().map(|event| self.tell(data, event, viewer)).collect()
    }

    /// The position as plain text, as letters carry it.
    fn position(&self, data: &Self::Data, view: &Self::View) -> String;

    /// The game's bots, the weakest first.
    fn bots(&self) -> Vec<Arc<dyn Bot>> {
        Vec::new()
    }

    /// A state from the `[given]` table of a scenario file; the faults are sentences.
    fn given(&self, data: &Self::Data, given: &toml::Table) -> Result<Self::State, Vec<String>>;

    /// The facts of a state by name, for expectations of scenario files: `A1.place`, `cp.A`.
    fn facts(&self, data: &Self::Data, state: &Self::State) -> BTreeMap<String, String>;
}
