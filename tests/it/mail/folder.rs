//! Letters as files, on both databases.

use diesel::prelude::*;
use stardate::jobs::outbox::drain;
use stardate::mail::{Folder, Transport};

use super::post::{Post, sent};
use super::{queue, site, start};
use crate::harness::on_both;

#[test]
fn the_folder_holds_each_letter_once_and_reads_it_back() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path().join("letters")).unwrap();
        let transport = Transport::folder(folder.clone());
        queue(&post.db, start(), &post.alice, &post.cancelled(), "a");
        let run = || post.runtime.block_on(drain(&post.db, &transport, &site(), &post.clock)).unwrap();
        assert_eq!(run(), sent(1));
        // As if the process had been killed between writing the file and noting it.
        post.write(|conn| {
            use stardate::store::schema::outbox::dsl;
            diesel::update(dsl::outbox).set(dsl::status.eq("queued")).execute(conn).unwrap();
        });
        post.advance(30);
        assert_eq!(run(), sent(1));
        let letters = folder.list(100).unwrap();
        assert_eq!(letters.len(), 1, "a repeat overwrites itself");
        let letter = &letters[0];
        assert_eq!(letter.to, "Alice <alice@mail.example>");
        assert_eq!(letter.subject, "Nebula duel: the table was called off");
        assert_eq!(letter.at, Some(start()));
        assert!(letter.text.contains("No reason.") && letter.html.contains("<p"), "{letter:?}");
        assert!(letter.headers.iter().any(|(name, _)| name == "List-Unsubscribe"));
        assert_eq!(folder.read(&letter.file).unwrap().as_ref(), Some(letter));
        for other in ["../letters/x.eml", "nothing.eml", ""] {
            assert_eq!(folder.read(other).unwrap(), None, "{other}");
        }
        let names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, std::slice::from_ref(&letter.file), "nothing unfinished is left");
    });
}

#[test]
fn a_folder_that_cannot_be_written_to_makes_letters_wait() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("letters");
        let transport = Transport::folder(Folder::open(&path).unwrap());
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, "a file stands in the way").unwrap();
        queue(&post.db, start(), &post.alice, &post.cancelled(), "a");
        let run = || post.runtime.block_on(drain(&post.db, &transport, &site(), &post.clock)).unwrap();
        let drained = run();
        assert!(drained.server_fault.unwrap().contains("can't be written to"));
        std::fs::remove_file(&path).unwrap();
        post.advance(15);
        assert_eq!(run(), sent(1));
    });
}
