use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use contract::Timestamp;
use ring::signature::{ED25519, UnparsedPublicKey};
use tempfile::TempDir;

use super::*;
use crate::clock::Fake;

const TEXT: &str = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=";

fn folder() -> (TempDir, Fake) {
    (tempfile::tempdir().unwrap(), Fake::at(Timestamp::from_ms(1_000)))
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_first_start_makes_the_key_and_later_ones_read_it() {
    let (folder, source) = folder();
    let file = folder.path().join(KEK_FILE);
    let made = load_kek(&file, None, Absent::Make, &source).unwrap();
    assert_eq!(mode(&file), 0o600);
    assert_eq!(names(&folder), [KEK_FILE]);
    for absent in [Absent::Make, Absent::Refuse] {
        assert_eq!(load_kek(&file, None, absent, &source).unwrap().id(), made.id());
    }
}

#[test]
fn a_lost_key_is_not_replaced() {
    let (folder, source) = folder();
    let file = folder.path().join(KEK_FILE);
    let lost = load_kek(&file, None, Absent::Refuse, &source).map(drop);
    assert!(matches!(lost, Err(Error::Lost { .. })), "{lost:?}");
    let lost = load_signing_key(&file, Absent::Refuse, &source).map(drop);
    assert!(matches!(lost, Err(Error::Lost { .. })), "{lost:?}");
    assert!(names(&folder).is_empty());
}

#[test]
fn the_variable_is_used_without_a_file_and_must_agree_with_one() {
    let (folder, source) = folder();
    let file = folder.path().join(KEK_FILE);
    let given = load_kek(&file, Some(TEXT), Absent::Refuse, &source).unwrap();
    assert!(!file.exists());
    write_private(&file, format!("{TEXT}\n").as_bytes(), &source).unwrap();
    let both = load_kek(&file, Some(TEXT), Absent::Refuse, &source).unwrap();
    assert_eq!(both.id(), given.id());
    write_private(&file, STANDARD.encode([1, 2].repeat(16)).as_bytes(), &source).unwrap();
    let two = load_kek(&file, Some(TEXT), Absent::Refuse, &source).map(drop);
    assert!(matches!(two, Err(Error::Two { .. })), "{two:?}");
}

#[test]
fn what_is_no_key_is_refused_and_not_repeated() {
    let (folder, source) = folder();
    let file = folder.path().join(KEK_FILE);
    let (short, long) = (STANDARD.encode([1; 31]), STANDARD.encode([1; 33]));
    let spaced = format!("{TEXT} ");
    let twice = format!("{TEXT}\n\n");
    for bad in ["", "\n", "secret!", &short, &long, &spaced, &twice, TEXT.trim_end_matches('=')] {
        let refused = load_kek(&file, Some(bad), Absent::Make, &source).unwrap_err();
        assert!(matches!(refused, Error::NotAKey { .. }), "{bad:?}: {refused:?}");
        assert!(!refused.to_string().contains("secret!") && !format!("{refused:?}").contains("AQ"));
        write_private(&file, bad.as_bytes(), &source).unwrap();
        let refused = load_kek(&file, None, Absent::Make, &source).unwrap_err();
        assert!(matches!(refused, Error::NotAKey { .. }), "{bad:?}: {refused:?}");
        fs::remove_file(&file).unwrap();
    }
    for byte in [0, 0xff, b'k'] {
        let refused = load_kek(&file, Some(&STANDARD.encode([byte; 32])), Absent::Make, &source);
        assert!(matches!(refused.map(drop), Err(Error::NotRandom { .. })));
    }
}

#[test]
fn a_file_that_others_may_open_is_refused() {
    let (folder, source) = folder();
    let file = folder.path().join(KEK_FILE);
    load_kek(&file, None, Absent::Make, &source).unwrap();
    for bits in [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o666] {
        fs::set_permissions(&file, Permissions::from_mode(bits)).unwrap();
        let refused = load_kek(&file, None, Absent::Make, &source).map(drop);
        assert!(
            matches!(refused, Err(Error::File(FileError::Open { mode, .. })) if mode == bits),
            "{bits:o}: {refused:?}"
        );
    }
    for bits in [0o600, 0o400, 0o700] {
        fs::set_permissions(&file, Permissions::from_mode(bits)).unwrap();
        assert!(load_kek(&file, None, Absent::Make, &source).is_ok(), "{bits:o}");
    }
}

#[test]
fn only_a_file_of_ours_of_a_sane_size_is_read() {
    let (folder, source) = folder();
    let at = |name: &str| folder.path().join(name);
    assert!(matches!(read_private(&at("none")), Err(FileError::Missing { .. })));
    assert!(matches!(read_private(folder.path()), Err(FileError::Kind { .. })));
    write_private(&at("largest"), &vec![7; 65_536], &source).unwrap();
    assert_eq!(read_private(&at("largest")).unwrap().expose().len(), 65_536);
    write_private(&at("larger"), &vec![7; 65_537], &source).unwrap();
    assert!(matches!(read_private(&at("larger")), Err(FileError::TooLarge { .. })));
    symlink("largest", at("link")).unwrap();
    assert!(read_private(&at("link")).is_ok());
    // Only root can give a file away, so only there can another's file be made.
    if chown(at("largest"), Some(65_534), None).is_ok() {
        assert!(matches!(read_private(&at("largest")), Err(FileError::Foreign { .. })));
        assert!(matches!(read_private(&at("link")), Err(FileError::Foreign { .. })));
    }
}

#[test]
fn writing_replaces_whole_and_making_never_replaces() {
    let (folder, source) = folder();
    let file = folder.path().join("token");
    create_private(&file, b"one", &source).unwrap();
    let exists = create_private(&file, b"two", &source);
    assert!(matches!(exists, Err(FileError::Exists { .. })), "{exists:?}");
    assert_eq!(read_private(&file).unwrap().expose(), b"one");
    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    write_private(&file, b"three", &source).unwrap();
    assert_eq!((mode(&file), read_private(&file).unwrap().expose()), (0o600, &b"three"[..]));
    assert_eq!(names(&folder), ["token"]);

    let nowhere = folder.path().join("none").join("token");
    assert!(write_private(&nowhere, b"x", &source).is_err());
    let over_a_folder = folder.path().join("folder");
    fs::create_dir(&over_a_folder).unwrap();
    assert!(write_private(&over_a_folder, b"x", &source).is_err());
    assert_eq!(names(&folder), ["folder", "token"]);
}

#[test]
fn a_private_folder_is_made_or_closed() {
    let (folder, _) = folder();
    let path = folder.path().join("namespaces");
    private_folder(&path).unwrap();
    assert_eq!(mode(&path), 0o700);
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    private_folder(&path).unwrap();
    assert_eq!(mode(&path), 0o700);
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    assert!(matches!(private_folder(&link), Err(FileError::Kind { .. })));
    assert!(private_folder(&folder.path().join("none/below")).is_err());
}

#[test]
fn the_signing_key_is_made_once_and_signs() {
    let (folder, source) = folder();
    let file = folder.path().join(SIGNING_KEY_FILE);
    let made = load_signing_key(&file, Absent::Make, &source).unwrap();
    let read = load_signing_key(&file, Absent::Refuse, &source).unwrap();
    assert_eq!((mode(&file), names(&folder).len()), (0o600, 1));
    assert_eq!(made.public_key().as_ref(), read.public_key().as_ref());
    let public = UnparsedPublicKey::new(&ED25519, made.public_key().as_ref());
    assert!(public.verify(b"checkpoint", read.sign(b"checkpoint").as_ref()).is_ok());
}

#[test]
fn a_damaged_signing_key_is_refused() {
    let (folder, source) = folder();
    let file = folder.path().join(SIGNING_KEY_FILE);
    load_signing_key(&file, Absent::Make, &source).unwrap();
    let whole = read_private(&file).unwrap();
    for at in 0..whole.expose().len() {
        let mut damaged = whole.expose().to_vec();
        damaged[at] ^= 1;
        write_private(&file, &damaged, &source).unwrap();
        let refused = load_signing_key(&file, Absent::Make, &source).map(drop);
        assert!(matches!(refused, Err(Error::NotASigningKey { .. })), "byte {at}: {refused:?}");
    }
}

#[test]
fn of_many_first_starts_at_once_one_key_remains() {
    let (folder, _) = folder();
    let file = folder.path().join(KEK_FILE);
    let ids = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8_i64)
            .map(|n| {
                let file = &file;
                scope.spawn(move || {
                    let source = Fake::at(Timestamp::from_ms(n));
                    let mut skipped = vec![0; 8 * 100 * usize::try_from(n).unwrap()];
                    source.random(&mut skipped);
                    load_kek(file, None, Absent::Make, &source).unwrap().id()
                })
            })
            .collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "{ids:?}");
    assert_eq!(names(&folder), [KEK_FILE]);
}
