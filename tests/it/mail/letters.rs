//! What letters say, as snapshots, and the headers they travel with.

use diesel::prelude::*;
use insta::assert_snapshot;
use mail_parser::MessageParser;
use stardate::clock::Clock;
use stardate::jobs::outbox::drain;
use stardate::mail::{self, Letter, Memory, Recipient, Said, TableRef, TableTalk, Transport};
use stardate::store::PhaseNo;
use stardate::store::TableId;
use stardate::store::outbox::Row;
use stardate::store::schema::phases;

use super::{at, outbox_rows, player, section, site, start, store_table};
use crate::harness::{Backend, Fresh};

const TABLE: TableId = TableId(14_700_000_000_000_000);

const POSITION: &str = "\
Turn 3, Deploy. Initiative: B (9 CP to 7).
Home Alpha    (A)       A1 Negh'Var, damage 2
Neutral zone  (nobody)  -
Home Omega    (B)       B1 Defiant: B3 Captain";

fn table() -> TableRef {
    super::table(TABLE)
}

/// Queues a letter for Alice in Berlin; gives what stands in the outbox and the mail that left.
fn sent(letter: &Letter) -> (Row, Vec<u8>) {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let db = fresh.open();
    db.write(|conn| {
        let alice = player(conn, "Alice");
        store_table(conn, TABLE, letter.phase_no().unwrap_or(PhaseNo(1)), &[&alice]);
        diesel::update(phases::table).set(phases::deadline_at.eq(letter.deadline())).execute(conn)?;
        let to = Recipient { unsubscribe_key: Some("KEY".to_owned()), ..Recipient::of(&alice).unwrap() };
        mail::queue(conn, &site(), start(), &to, letter, "key")
    })
    .unwrap();
    let row = outbox_rows(&db).remove(0);
    let (memory, clock) = (Memory::default(), Clock::manual(row.next_attempt_at));
    let transport = Transport::memory(memory.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let drained = runtime.block_on(drain(&db, &transport, &site(), &clock)).unwrap();
    assert_eq!(drained.sent, 1, "{drained:?}");
    (row, memory.letters().remove(0).bytes)
}

/// The letter as a text mail program shows it.
fn text(letter: &Letter) -> String {
    let (row, bytes) = sent(letter);
    let message = MessageParser::default().parse(&bytes).unwrap();
    // What was queued is what arrives, whatever the encoding on the way.
    assert_eq!(message.subject(), Some(row.subject.as_str()));
    assert_eq!(message.body_text(0).unwrap().replace("\r\n", "\n").trim_end(), row.body_text.trim_end());
    assert_eq!(message.body_html(0).unwrap().replace("\r\n", "\n").trim_end(), row.body_html.trim_end());
    assert_no_lost_words(&row);
    assert_well_laid_out(&row);
    format!("Subject: {}\n\n{}", row.subject, row.body_text)
}

/// Lines fit where a letter is read or quoted, but for links; what to do next is at the top; every element of the HTML
/// part that shows words names its own colour, because mail programs drop what the body and a style sheet say.
fn assert_well_laid_out(row: &Row) {
    for line in row.body_text.lines() {
        assert!(line.chars().count() <= 72 || line.starts_with("http"), "{} columns: {line}", line.chars().count());
    }
    let link = row.body_text.lines().position(|line| line.starts_with("http"));
    assert!(link.is_none_or(|at| at < 24), "the first link is in line {link:?}:\n{}", row.body_text);
    let body = row.body_html.split("</head>").nth(1).unwrap();
    for element in ["<p ", "<h1", "<h2", "<h3", "<li", "<pre", "<td", "<a "] {
        for tag in body.split(element).skip(1).map(|rest| rest.split('>').next().unwrap()) {
            let only_a_frame = element == "<td" && tag.contains("border-radius:8px");
            assert!(
                tag.contains(";color:#") || tag.contains("\"color:#") || only_a_frame,
                "{element}{tag}> has no colour"
            );
        }
    }
}

/// Every word of the text part stands in the HTML part as well.
fn assert_no_lost_words(row: &Row) {
    let html = row.body_html.replace("&#39;", "'").replace("&#38;", "&").replace("&#34;", "\"");
    let letter = row.body_text.split("\n-- \n").next().unwrap();
    for word in letter.split_whitespace().filter(|word| word.chars().all(char::is_alphanumeric)) {
        assert!(html.contains(word), "“{word}” is missing in the HTML part:\n{html}");
    }
}

fn due() -> Letter {
    Letter::Due {
        table: table(),
        phase_no: PhaseNo(12),
        phase: "Turn 3, Deploy".to_owned(),
        deadline: at("2026-11-30 13:30"),
        since: vec![
            section(
                "Turn 2, Attack",
                &[
                    "B5 is attacked first: B has initiative with 9 CP to 7.",
                    "A1 Negh'Var fires at B5 Runabout: A1 throws 3, B5 throws 1. B5 takes 2 damage and is removed.",
                ],
            ),
            section("Turn 2, Move", &["Nobody moved."]),
        ],
        at_deadline: "If nothing is in by then, you are dropped from the game and lose 3 points.".to_owned(),
        position: POSITION.to_owned(),
        at_once: false,
    }
}

#[test]
fn due_letter() {
    assert_snapshot!(text(&due()));
}

#[test]
fn whatever_people_and_games_write_letters_keep_their_width_and_their_direction() {
    let long = "x".repeat(347);
    let row = sent(&Letter::Reported {
        report: "00reportid000".to_owned(),
        title: "T".repeat(80),
        table_url: "https://play.example/t/TABLE".to_owned(),
        author: "דנה".to_owned(),
        text: long.clone(),
        reporter: "Alice".to_owned(),
        reason: long,
    })
    .0;
    assert_well_laid_out(&row);
    assert!(row.body_text.contains("reported a message by \u{2068}דנה\u{2069}."), "{}", row.body_text);
    let Letter::Due { table, phase_no, phase, deadline, since, at_deadline, at_once, .. } = due() else {
        unreachable!()
    };
    let position = format!("Home Alpha    (A)       {}", "A1 Negh'Var, damage 2; ".repeat(9));
    let wide = Letter::Due { table, phase_no, phase, deadline, since, at_deadline, position, at_once };
    assert_well_laid_out(&sent(&wide).0);
}

#[test]
fn subject_and_body_tell_one_time() {
    let row = sent(&due()).0;
    let (_, by) = row.subject.split_once("is due by ").unwrap();
    assert!(row.body_text.contains(&format!("{by} (13:30 UTC)")), "{}: {}", row.subject, row.body_text);
}

#[test]
fn due_letter_as_html() {
    assert_snapshot!(sent(&due()).0.body_html);
}

#[test]
fn reminder_letter() {
    assert_snapshot!(text(&Letter::Reminder {
        table: table(),
        phase_no: PhaseNo(12),
        phase: "Turn 3, Deploy".to_owned(),
        deadline: at("2026-11-29 21:30"),
        at_deadline: "If nothing is in by then, you are dropped from the game and lose 3 points.".to_owned(),
        position: POSITION.to_owned(),
    }));
}

#[test]
fn resolved_letter() {
    assert_snapshot!(text(&Letter::Resolved {
        table: table(),
        phase_no: PhaseNo(12),
        phase: "Turn 3, Attack".to_owned(),
        what: vec![section("Turn 3, Attack", &["A1 fires at B5, which is removed."])],
        position: POSITION.to_owned(),
        next: "Bob is due next, in Turn 3, Defence.".to_owned(),
    }));
}

#[test]
fn started_letter() {
    assert_snapshot!(text(&Letter::Started {
        table: table(),
        players: vec!["A: Alice".to_owned(), "B: Bob".to_owned()],
        seat: 'A',
        opening: vec![section("Set-up", &["The seats were dealt by dice.", "A draws 7 pieces."])],
        dice_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
    }));
}

#[test]
fn dropped_letter() {
    let dropped = |score_change| Letter::Dropped {
        table: table(),
        phase_no: PhaseNo(12),
        phase: "Turn 3, Deploy".to_owned(),
        deadline: at("2026-11-29 15:30"),
        score_change,
        after: "Bob has won the table.".to_owned(),
    };
    assert_snapshot!(text(&dropped(Some(-3))));
    assert!(text(&dropped(None)).contains("This table is not ranked, so your score does not change."));
}

#[test]
fn over_letter() {
    let over = |score_change| Letter::Over {
        table: table(),
        result: "You won.".to_owned(),
        reason: "Bob's Q was in Cheq for a whole turn: Cheqmate.".to_owned(),
        score_change,
        not_counted: None,
        score: 101,
        what: vec![section("Turn 9, Move", &["A2 moves to Home Omega."])],
        position: POSITION.to_owned(),
    };
    assert_snapshot!(text(&over(Some(1))));
    assert!(text(&over(None)).contains("stays at 101; this table is not ranked"));
}

fn talk() -> TableTalk {
    let said = |who: &str, alone, time: &str, text: &str| Said {
        who: who.to_owned(),
        alone,
        at: at(&format!("2026-11-29 {time}")),
        text: text.to_owned(),
    };
    TableTalk {
        said: vec![
            said(
                "Bob (B)",
                false,
                "09:05",
                "Nice move.\n\nI did not see it coming, and shall have to think about my answer for a day or two.",
            ),
            said(
                "Cid (C)",
                true,
                "12:30",
                "Shall we both leave B alone until he has dealt with the ships in the <nebula> & \"home\"?",
            ),
        ],
        left_out: 1,
        up_to: Some(9),
    }
}

/// The letter with talk in it: what stands in the outbox.
fn with_talk(letter: &Letter) -> Row {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let db = fresh.open();
    db.write(|conn| {
        let alice = player(conn, "Alice");
        store_table(conn, TABLE, letter.phase_no().unwrap_or(PhaseNo(1)), &[&alice]);
        let to = Recipient { unsubscribe_key: Some("KEY".to_owned()), ..Recipient::of(&alice).unwrap() };
        mail::queue_with_talk(conn, &site(), start(), &to, letter, &talk(), "key")
    })
    .unwrap();
    outbox_rows(&db).remove(0)
}

#[test]
fn letters_carry_what_was_said_at_the_table() {
    let row = with_talk(&due());
    assert_eq!(row.talk_no, Some(9));
    assert_no_lost_words(&row);
    assert_snapshot!("due_letter_with_talk", row.body_text);
    let cancelled = with_talk(&Letter::Cancelled { table: table(), why: "No reason.".to_owned() });
    let (talk, button) = (cancelled.body_text.find("Nice move."), cancelled.body_text.find("Find another table"));
    assert!(button.is_some() && button < talk, "what to do next comes before what was said: {}", cancelled.body_text);
}

#[test]
fn talk_has_a_letter_of_its_own() {
    let row = with_talk(&Letter::Talk { table: table() });
    assert_eq!(row.talk_no, None, "it is worded again when it leaves");
    assert_eq!(row.next_attempt_at - row.created_at, chrono::TimeDelta::minutes(10));
    assert_no_lost_words(&row);
    assert!(!row.body_html.contains("<nebula>"), "{}", row.body_html);
    assert_snapshot!("talk_letter", format!("Subject: {}\n\n{}", row.subject, row.body_text));
    assert_snapshot!("talk_letter_as_html", row.body_html);
}

#[test]
fn the_operator_reads_what_was_reported() {
    assert_snapshot!(text(&Letter::Reported {
        report: "00reportid000".to_owned(),
        title: "Nebula duel".to_owned(),
        table_url: "https://play.example/t/TABLE".to_owned(),
        author: "Bob".to_owned(),
        text: "You are all fools,\nand I know where you live.".to_owned(),
        reporter: "Alice".to_owned(),
        reason: "A threat.".to_owned(),
    }));
}

fn invitation() -> Letter {
    let term = |what: &str, how: &str| (what.to_owned(), how.to_owned());
    Letter::Invitation {
        table: table(),
        by: "Bob".to_owned(),
        url: "https://play.example/i/INVITEKEY".to_owned(),
        options: vec![term("Map", "Preceptor Nebula"), term("Time limit", "72 h"), term("Counts for the score", "yes")],
    }
}

#[test]
fn invitation_letter() {
    assert_snapshot!(text(&invitation()));
}

#[test]
fn an_invitation_to_a_stranger_tells_how_to_join_and_that_nothing_follows() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let db = fresh.open();
    db.write(|conn| {
        let bob = player(conn, "Bob");
        store_table(conn, TABLE, PhaseNo(1), &[&bob]);
        let to = Recipient::stranger("friend@mail.example");
        mail::queue(conn, &site(), start(), &to, &invitation(), "key")
    })
    .unwrap();
    let row = outbox_rows(&db).remove(0);
    assert_eq!(row.unsubscribe_url, None);
    assert_snapshot!(row.body_text);
}

#[test]
fn cancelled_letter() {
    let why = "Bob, who made the table, called it off.".to_owned();
    assert_snapshot!(text(&Letter::Cancelled { table: table(), why }));
}

#[test]
fn letters_about_the_account() {
    let url = |page: &str| format!("https://play.example{page}");
    let expires = at("2026-11-29 16:30");
    let letters = [
        Letter::Confirm { url: url("/confirm/TOKEN"), expires },
        Letter::AlreadyRegistered { sign_in_url: url("/sign-in"), reset_url: url("/reset") },
        Letter::Reset { url: url("/reset/TOKEN"), expires },
        Letter::PasswordChanged { reset_url: url("/reset") },
        Letter::ChangeAddress { url: url("/settings/address/TOKEN"), expires },
        Letter::AddressChanged { contact_url: url("/") },
        Letter::AccountDeleted,
    ];
    for letter in letters {
        assert_snapshot!(letter.kind().as_str(), text(&letter));
    }
}

#[test]
fn the_html_part_escapes_what_players_write() {
    let letter = Letter::Cancelled {
        table: TableRef { title: "<script>alert(1)</script>\r\nBcc: x@y.example".to_owned(), ..table() },
        why: "Bob & Co. <called> it \"off\".".to_owned(),
    };
    let (row, bytes) = sent(&letter);
    assert!(!row.body_html.contains("<script>"), "{}", row.body_html);
    assert!(row.body_text.contains("Bob & Co. <called> it \"off\"."), "the text part is plain text");
    assert!(!row.subject.contains('\n'), "a title can't add headers");
    let message = MessageParser::default().parse(&bytes).unwrap();
    assert!(message.bcc().is_none());
}

#[test]
fn table_letters_carry_the_headers_of_a_thread_that_can_be_left() {
    let (row, bytes) = sent(&due());
    let message = MessageParser::default().parse(&bytes).unwrap();
    let header = |name: &str| message.header_raw(name).map(|value| value.trim().to_owned());
    assert_eq!(header("Message-ID"), Some(row.message_id.clone()));
    assert!(row.message_id.ends_with("@play.example>"), "{}", row.message_id);
    let thread = row.thread_id.unwrap();
    assert_eq!(header("In-Reply-To"), Some(thread.clone()));
    assert_eq!(header("References"), Some(thread));
    assert_eq!(header("List-Unsubscribe"), Some("<https://play.example/unsubscribe/KEY>".to_owned()));
    assert_eq!(header("List-Unsubscribe-Post"), Some("List-Unsubscribe=One-Click".to_owned()));
    assert_eq!(header("Auto-Submitted"), Some("auto-generated".to_owned()));
    assert!(header("List-Id").unwrap().ends_with(".play.example>"));
    assert_eq!(header("From"), Some("Stardate <referee@play.example>".to_owned()));
    assert_eq!(header("To"), Some("Alice <alice@mail.example>".to_owned()));
    assert_eq!(message.date().unwrap().to_timestamp(), start().and_utc().timestamp());
}

#[test]
fn account_letters_are_no_list() {
    let (row, bytes) = sent(&Letter::AccountDeleted);
    let message = MessageParser::default().parse(&bytes).unwrap();
    assert_eq!((row.thread_id, row.unsubscribe_url), (None, None));
    for name in ["List-Unsubscribe", "List-Id", "In-Reply-To", "References"] {
        assert_eq!(message.header_raw(name), None, "{name}");
    }
}
