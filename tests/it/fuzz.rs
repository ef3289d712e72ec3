//! What reads texts of people in the server: records, forms and their choices, settings, mail addresses. See
//! [`crate::shared::fuzz`].

use stardate::config::Config;
use stardate::games;
use stardate::mail::{canonical_address, check_address, mask, readable};
use stardate::rules::{Dice, FieldKind, Game, Seat, SeatSetup, Setup, Slot};
use stardate::store::IdText;
use stardate::tables::record::Record;
use stardate::tables::record::verify::verify;
use stardate::tables::{self, ChoiceFault, Refused, record};
use stardate::web::base::posted;

use crate::shared::fuzz::{Verdict, ensure, ensure_sentence, run};

/// The recorded games of the repository that are short enough to be played again thousands of times.
const RECORDS: [&str; 3] = [
    include_str!("../records/imperial-conflict/nobody-left.json"),
    include_str!("../records/imperial-conflict/others-resigned.json"),
    include_str!("../records/conquest/edition-2-nebula.json"),
];

#[test]
fn records() {
    let engines = games::all();
    let seeds = RECORDS.map(str::to_owned);
    run("records", "fuzz::records", &seeds, 1_500, |text| {
        let told = match verify(text, &engines) {
            Ok(checks) => {
                ensure(!checks.is_empty(), || "nothing was checked".to_owned())?;
                for check in &checks {
                    ensure(!check.words.trim().is_empty(), || "a check without words".to_owned())?;
                }
                checks.iter().all(|check| check.holds)
            }
            Err(fault) => {
                let words = fault.to_string();
                ensure(words.chars().count() >= 5, || format!("no sentence: {words:?}"))?;
                false
            }
        };
        // What holds can be played again, and prints as what reads the same.
        if told {
            record::replay(text, &engines).map_err(|fault| fault.to_string())?;
            let printed = Record::from_text(text).map_err(|fault| fault.to_string())?.to_text();
            let again = verify(&printed, &engines).map_err(|fault| fault.to_string())?;
            ensure(again.iter().all(|check| check.holds), || "printed again, it does not hold".to_owned())?;
        } else {
            let _ = record::replay(text, &engines);
        }
        Ok(())
    });
}

/// The controls of each game's first orders.
fn controls() -> Vec<Vec<Slot>> {
    let first = |game: &dyn Game, fields: Vec<stardate::rules::Field>| -> SeatSetup {
        let answer = |kind| match kind {
            FieldKind::Choice(choices) => choices[0].value.clone(),
            FieldKind::Loadout => game.stock_loadouts()[0].text.clone(),
        };
        fields.into_iter().map(|field| (field.key.to_owned(), answer(field.kind))).collect()
    };
    let slots = games::all().into_iter().map(|engine| {
        let game = engine.load(&engine.embedded()).unwrap();
        let options = first(&*game, game.table_fields());
        let seats = *game.seats(&options).start();
        let setup = Setup { seats: vec![first(&*game, game.seat_fields()); seats], options };
        let state = game.setup(&setup, game.meta().edition, &mut Dice::for_phase(&[7; 32], 0)).unwrap().state;
        let seat = game.phase(&state).unwrap().unwrap().due.first().map_or(Seat::A, |due| due.seat);
        game.offers(&state, seat).unwrap()
    });
    slots.collect()
}

fn escaped(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A form of orders: its text, and what its controls were set to.
fn form(slots: &[Slot], from: usize) -> String {
    let text: Vec<&str> = slots.iter().skip(from).step_by(5).map(|slot| slot.offers[0].order.as_str()).collect();
    let mut body = format!("csrf=x&text={}&after=3", escaped(&text.join("\r\n")));
    for (no, slot) in slots.iter().enumerate().skip(from / 2).step_by(3) {
        let order = &slot.offers[no % slot.offers.len()].order;
        body.push_str(&format!("&slot.{}={}", escaped(&slot.key), escaped(order)));
    }
    body
}

#[test]
fn forms_and_their_choices() {
    let controls = controls();
    let mut seeds: Vec<String> = controls.iter().flat_map(|slots| [0, 1, 2, 7].map(|from| form(slots, from))).collect();
    seeds.push("csrf=x&name=Kira&email=kira%40example.org&password=a+long+one&zone=Europe%2FBerlin".to_owned());
    run("forms", "fuzz::forms_and_their_choices", &seeds, 5_000, |body| {
        let Ok(posted) = posted::read(body.as_bytes()) else { return Ok(()) };
        for name in ["text", "name", "csrf", ""] {
            let line = posted.line(name);
            ensure(!line.chars().any(char::is_control), || format!("a line with control characters: {line:?}"))?;
            ensure(!posted.text(name).contains('\r'), || "a text with a line end of its own".to_owned())?;
        }
        let text = posted.text("text");
        let chosen: Vec<(String, String)> =
            posted.under("slot.").map(|(key, order)| (key.to_owned(), order.to_owned())).collect();
        if tables::must_fit(&text, &chosen).is_err() {
            return Ok(());
        }
        controls.iter().try_for_each(|slots| check_merging(slots, &text, &chosen))
    });
}

/// Choices get into the text, no line is lost that is about something else, and the second time changes nothing.
fn check_merging(slots: &[Slot], text: &str, chosen: &[(String, String)]) -> Verdict {
    let merged = match tables::merged(slots, text, chosen) {
        Ok(merged) => merged,
        Err(Refused::Choices(fault)) => {
            if let ChoiceFault::Unknown(key) | ChoiceFault::Twice(key) = &fault {
                ensure(
                    chosen
                        .iter()
                        .any(|(sent, _)| sent.chars().take(3).eq(key.chars().take(3)) || key.contains('\u{fffd}')),
                    || format!("{key} was not sent"),
                )?;
            }
            return ensure_sentence(&Refused::Choices(fault).to_string());
        }
        Err(other) => return Err(format!("it is refused: {other}")),
    };
    let orders = |text: &str| text.lines().count();
    let set: Vec<&String> = chosen.iter().map(|(_, order)| order).filter(|order| !order.is_empty()).collect();
    for order in &set {
        // Blank lines at the end are left out.
        let in_merged = |line: &str| merged.lines().any(|merged| merged == line.trim_end_matches('\r'));
        ensure(order.lines().all(|line| line.trim().is_empty() || in_merged(line)), || {
            format!("{order:?} is not in {merged:?}")
        })?;
    }
    let most = orders(text) + set.iter().map(|order| orders(order).max(1)).sum::<usize>();
    ensure(orders(&merged) <= most, || format!("{} lines of {most}", orders(&merged)))?;
    for written in tables::written(slots, &merged, None) {
        ensure(written.index < orders(&merged), || format!("line {} is told", written.index))?;
        ensure(written.control.is_none_or(|slot| slot < slots.len()), || format!("{:?} is told", written.control))?;
    }
    Ok(())
}

#[test]
fn settings() {
    let own = include_str!("../../config/default.toml");
    let mut seeds = vec![own.to_owned()];
    // Every section by itself, and all of it without the comments.
    seeds.extend(own.split("\n[").skip(1).map(|section| format!("[{section}")));
    seeds.push(own.lines().map(|line| line.trim_start_matches("# ")).collect::<Vec<_>>().join("\n"));
    run("settings", "fuzz::settings", &seeds, 5_000, |text| match Config::with(text) {
        Ok(_) => Ok(()),
        Err(faults) => {
            ensure(!faults.0.is_empty(), || "it is refused without a word".to_owned())?;
            // What TOML says of a syntax error shows the line.
            faults.0.iter().try_for_each(|fault| ensure_sentence(&fault.replace('\n', " ")))
        }
    });
}

#[test]
fn addresses_and_ids() {
    let id = IdText(7 << 40).to_string();
    let seeds = [
        "Sam.O+games@Example.org",
        "kira@müller.example",
        "kira@xn--mller-kva.example",
        "a_b-c'd@mail.example.co.uk",
        "Игорь@пример.example",
        &id,
    ];
    run("addresses", "fuzz::addresses_and_ids", &seeds.map(str::to_owned), 20_000, |text| {
        let masked = mask(text);
        if let Some((name, _)) = text.rsplit_once('@')
            && name.chars().count() > 1
        {
            let letters = masked.split_once("…@").map_or(0, |(name, _)| name.chars().count());
            ensure(letters == 1, || format!("{masked:?} tells more than a letter of the name"))?;
        }
        match check_address(text) {
            Ok(address) => {
                ensure(address.is_ascii() && !address.contains(char::is_whitespace), || format!("{address:?}"))?;
                ensure(check_address(&address) == Ok(address.clone()), || format!("{address:?} is refused"))?;
                ensure(canonical_address(&readable(&address)).eq_ignore_ascii_case(&address), || {
                    format!("{address:?} is shown as {:?}", readable(&address))
                })?;
            }
            Err(fault) => ensure(!fault.to_string().is_empty(), || "it is refused without a word".to_owned())?,
        }
        match text.parse::<IdText>() {
            Ok(id) => ensure(id.to_string().parse() == Ok(id), || format!("{id} is another id")),
            Err(_) => Ok(()),
        }
    });
}
