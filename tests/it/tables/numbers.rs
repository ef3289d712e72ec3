//! A small game to test the server with: everybody names a number of their hand, a die is added, the highest
//! sum of a turn is a point. Its modes cover what a server must cope with: all at once, optional seats, steps
//! of one turn under one clock, and a game that fails.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use stardate::rules::{
    Audience, ClockUse, Content, DataFault, Dice, Due, Entry, Fate, Fault, Field, FieldChoice, FieldKind, Leaving,
    Line, Meta, Offer, Openness, Phase, Rules, Seat, Setup, Slot, Step, StockLoadout,
};

const SEATS: RangeInclusive<usize> = 2..=4;

pub struct Numbers {
    meta: Meta,
}

impl Numbers {
    pub fn new() -> Numbers {
        Numbers {
            meta: Meta {
                id: "numbers",
                name: "Numbers",
                blurb: "Name a number, add a die, and be the highest.",
                seats: SEATS,
                edition: 1,
                format: 1,
                rules_text: "",
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub mode: String,
    pub rounds: u32,
    pub turn: u32,
    pub step: u32,
    pub acting: usize,
    pub hands: Vec<Vec<i64>>,
    pub points: Vec<u32>,
    pub fates: Vec<Fate>,
}

impl State {
    fn active(&self) -> Vec<Seat> {
        Seat::first(self.fates.len()).filter(|seat| self.fates[seat.index()] == Fate::Active).collect()
    }

    fn dues(&self) -> Vec<Due> {
        let active = self.active();
        match self.mode.as_str() {
            "optional" => active.iter().enumerate().map(|(at, seat)| Due { seat: *seat, required: at == 0 }).collect(),
            "free" => active.iter().map(|seat| Due { seat: *seat, required: false }).collect(),
            "steps" => active
                .iter()
                .filter(|seat| seat.index() == self.acting)
                .map(|seat| Due { seat: *seat, required: true })
                .collect(),
            _ => active.iter().map(|seat| Due { seat: *seat, required: true }).collect(),
        }
    }

    /// The turn passes to the next seat in play; after the last one the next turn begins.
    fn pass_on(&mut self) {
        self.step = 1;
        loop {
            self.acting += 1;
            if self.acting >= self.fates.len() {
                self.acting = 0;
                self.turn += 1;
            }
            if self.active().is_empty() || self.fates[self.acting] == Fate::Active {
                return;
            }
        }
    }

    fn end_if_over(&mut self) {
        let active = self.active();
        if active.len() == 1 {
            self.fates[active[0].index()] = Fate::Won;
        } else if self.turn > self.rounds {
            let best = active.iter().map(|seat| self.points[seat.index()]).max().unwrap_or(0);
            let top: Vec<&Seat> = active.iter().filter(|seat| self.points[seat.index()] == best).collect();
            for seat in &active {
                self.fates[seat.index()] = match top.as_slice() {
                    [winner] if *winner == seat => Fate::Won,
                    [_] => Fate::Lost,
                    _ => Fate::Drew,
                };
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    Play(i64),
    Secretly(i64),
}

impl Order {
    fn number(&self) -> i64 {
        match self {
            Order::Play(number) | Order::Secretly(number) => *number,
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Play(number) => write!(f, "play {number}"),
            Order::Secretly(number) => write!(f, "secretly {number}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    Begun,
    Hand { numbers: Vec<i64> },
    Sum { seat: Seat, sum: i64 },
    Left { seat: Seat, leaving: Leaving },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub seat: Option<Seat>,
    pub hand: Vec<i64>,
    pub points: Vec<u32>,
    pub turn: u32,
}

fn numbers(text: &str) -> Option<Vec<i64>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}

fn told(event: Event) -> Entry<Event> {
    Entry { audience: Audience::All, event }
}

impl Rules for Numbers {
    type Data = i64;
    type State = State;
    type Order = Order;
    type Event = Event;
    type View = View;

    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn embedded(&self) -> Content {
        BTreeMap::from([("game.toml".to_owned(), "highest = 9".to_owned())])
    }

    fn load(&self, files: &Content) -> Result<i64, Vec<DataFault>> {
        let fault = |message: &str| {
            vec![DataFault { file: "game.toml".to_owned(), line: Some(1), message: message.to_owned() }]
        };
        let text = files.get("game.toml").ok_or_else(|| fault("it is missing"))?;
        let number = text.strip_prefix("highest = ").and_then(|number| number.parse().ok());
        number.ok_or_else(|| fault("highest is no number"))
    }

    fn table_fields(&self, _: &i64) -> Vec<Field> {
        let choice = |value: &str| FieldChoice {
            value: value.to_owned(),
            label: format!("{value} of them"),
            summary: String::new(),
        };
        let modes = ["together", "optional", "free", "steps", "failing"];
        vec![
            Field {
                key: "rounds",
                label: "Rounds",
                help: "",
                kind: FieldKind::Choice(["2", "1", "5"].map(choice).to_vec()),
            },
            Field { key: "mode", label: "Mode", help: "", kind: FieldKind::Choice(modes.map(choice).to_vec()) },
        ]
    }

    fn seat_fields(&self, _: &i64) -> Vec<Field> {
        vec![Field { key: "hand", label: "Hand", help: "", kind: FieldKind::Loadout }]
    }

    fn stock_loadouts(&self, _: &i64) -> Vec<StockLoadout> {
        let stock = |id: &str, text: &str| StockLoadout {
            id: id.to_owned(),
            name: id.to_owned(),
            summary: String::new(),
            text: text.to_owned(),
        };
        vec![stock("low", "1 2 3"), stock("high", "7 8 9")]
    }

    fn check_loadout(&self, highest: &i64, text: &str) -> Result<String, Vec<Fault>> {
        let fault = |message: &str| vec![Fault { line: Some(1), message: message.to_owned() }];
        let mut hand = numbers(text).ok_or_else(|| fault("A hand is made of numbers."))?;
        if hand.is_empty() || hand.iter().any(|number| number > highest) {
            return Err(fault("A hand holds at least one number, none of them too high."));
        }
        hand.sort_unstable();
        Ok(hand.iter().map(i64::to_string).collect::<Vec<_>>().join(" "))
    }

    fn setup(&self, _: &i64, setup: &Setup, _: u32, dice: &mut Dice) -> Result<Step<State, Event>, Vec<String>> {
        let hands: Option<Vec<Vec<i64>>> = setup.seats.iter().map(|seat| numbers(seat.get("hand")?)).collect();
        let hands = hands.ok_or_else(|| vec!["A hand is missing.".to_owned()])?;
        let seats = hands.len();
        let mut report = vec![told(Event::Begun)];
        for (seat, hand) in Seat::first(seats).zip(&hands) {
            let event = Event::Hand { numbers: hand.clone() };
            report.push(Entry { audience: Audience::Only(vec![seat]), event });
        }
        let state = State {
            mode: setup.options["mode"].clone(),
            rounds: setup.options["rounds"].parse().map_err(|_| vec!["No rounds.".to_owned()])?,
            turn: 1,
            step: 1,
            acting: dice.pick("who begins", seats),
            hands,
            points: vec![0; seats],
            fates: vec![Fate::Active; seats],
        };
        Ok(Step { state, report })
    }

    fn phase(&self, _: &i64, state: &State) -> Option<Phase> {
        let due = state.dues();
        let second = state.mode == "steps" && state.step == 2;
        (!due.is_empty()).then(|| Phase {
            key: if second { "second" } else { "choose" }.to_owned(),
            name: if second { "Second" } else { "Choose" }.to_owned(),
            turn: state.turn,
            due,
            clock: if second { ClockUse::Inherit } else { ClockUse::Fresh },
            simultaneous: state.mode != "steps",
        })
    }

    fn fates(&self, state: &State) -> Vec<Fate> {
        state.fates.clone()
    }

    fn view(&self, _: &i64, state: &State, viewer: Option<Seat>) -> View {
        View {
            seat: viewer,
            hand: viewer.map_or_else(Vec::new, |seat| state.hands[seat.index()].clone()),
            points: state.points.clone(),
            turn: state.turn,
        }
    }

    fn parse(&self, _: &i64, _: &View, text: &str) -> Result<Vec<Line<Order>>, Vec<Fault>> {
        let mut lines = Vec::new();
        let mut faults = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let number = |rest: &str| rest.trim().parse::<i64>().ok();
            let order = match line.trim().split_once(' ') {
                Some(("play", rest)) => number(rest).map(Order::Play),
                Some(("secretly", rest)) => number(rest).map(Order::Secretly),
                _ => None,
            };
            match order {
                Some(order) => lines.push(Line { no: at + 1, order }),
                None => faults.push(Fault { line: Some(at + 1), message: format!("“{line}” is no order.") }),
            }
        }
        if faults.is_empty() { Ok(lines) } else { Err(faults) }
    }

    fn check(&self, _: &i64, view: &View, plot: &[Line<Order>]) -> Vec<Fault> {
        let foreign = plot.iter().filter(|line| !view.hand.contains(&line.order.number())).map(|line| Fault {
            line: Some(line.no),
            message: format!("{} is not in your hand.", line.order.number()),
        });
        let many = plot.iter().skip(1).map(|line| Fault { line: Some(line.no), message: "One is enough.".to_owned() });
        foreign.chain(many).collect()
    }

    fn words(&self, _: &i64, _: &View, order: &Order) -> String {
        format!("name {}", order.number())
    }

    fn openness(&self, _: &i64, _: &State) -> Openness {
        Openness::WithoutSecrets
    }

    fn stays_secret(&self, order: &Order) -> bool {
        matches!(order, Order::Secretly(_))
    }

    fn offers(&self, _: &i64, view: &View) -> Vec<Slot> {
        let offers = view.hand.iter().map(|number| Offer {
            order: format!("play {number}"),
            label: format!("name {number}"),
            target: None,
        });
        vec![Slot {
            key: "number".to_owned(),
            subject: None,
            group: "Hand".to_owned(),
            label: "Number".to_owned(),
            offers: offers.collect(),
        }]
    }

    fn default_plot(&self, _: &i64, view: &View) -> Vec<Order> {
        view.hand.first().map(|number| Order::Play(*number)).into_iter().collect()
    }

    fn resolve(
        &self,
        data: &i64,
        mut state: State,
        plots: &BTreeMap<Seat, Vec<Order>>,
        _: u32,
        dice: &mut Dice,
    ) -> Step<State, Event> {
        assert!(state.mode != "failing", "this game always fails");
        let mut report = Vec::new();
        let mut best: Vec<(i64, Seat)> = Vec::new();
        for due in state.dues() {
            let seat = due.seat;
            let default = self.default_plot(data, &self.view(data, &state, Some(seat)));
            let plot = plots.get(&seat).unwrap_or(&default);
            let Some(order) = plot.first() else { continue };
            let sum = order.number() + dice.roll_for(seat, &format!("seat {seat}"), 1, 6);
            report.push(told(Event::Sum { seat, sum }));
            if best.first().is_some_and(|(highest, _)| sum > *highest) {
                best.clear();
            }
            if best.first().is_none_or(|(highest, _)| sum == *highest) {
                best.push((sum, seat));
            }
        }
        if let [(_, winner)] = best.as_slice() {
            state.points[winner.index()] += 1;
        }
        match (state.mode.as_str(), state.step) {
            ("steps", 1) => state.step = 2,
            ("steps", _) => state.pass_on(),
            _ => state.turn += 1,
        }
        state.end_if_over();
        Step { state, report }
    }

    fn leave(
        &self,
        _: &i64,
        mut state: State,
        leavers: &[(Seat, Leaving)],
        _: u32,
        _: &mut Dice,
    ) -> Step<State, Event> {
        let mut report = Vec::new();
        for (seat, leaving) in leavers {
            state.fates[seat.index()] = match leaving {
                Leaving::Resigned => Fate::Resigned,
                Leaving::Dropped => Fate::Dropped,
            };
            report.push(told(Event::Left { seat: *seat, leaving: *leaving }));
        }
        if state.mode == "steps" && state.fates[state.acting] != Fate::Active {
            state.pass_on();
        }
        state.end_if_over();
        Step { state, report }
    }

    fn tell(&self, _: &i64, event: &Event, _: Option<Seat>) -> String {
        match event {
            Event::Begun => "The game begins.".to_owned(),
            Event::Hand { numbers } => format!("Your hand is {numbers:?}."),
            Event::Sum { seat, sum } => format!("{seat} comes to {sum}."),
            Event::Left { seat, leaving: Leaving::Resigned } => format!("{seat} resigned."),
            Event::Left { seat, leaving: Leaving::Dropped } => format!("{seat} ran out of time."),
        }
    }

    fn position(&self, _: &i64, view: &View) -> String {
        format!("Turn {}, points {:?}, hand {:?}", view.turn, view.points, view.hand)
    }

    fn given(&self, _: &i64, _: &toml::Table) -> Result<State, Vec<String>> {
        Err(vec!["This game has no scenarios.".to_owned()])
    }

    fn facts(&self, _: &i64, state: &State) -> BTreeMap<String, String> {
        BTreeMap::from([("turn".to_owned(), state.turn.to_string())])
    }
}
