//! Owns files that only their owner may read: keys and operator tokens. Invariant: such a file is
//! whole or absent, never half written, and is refused when anybody else may read or change it.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::clock::Source;
use crate::seal::Secret;

/// The largest file read here, in bytes.
const MAX_BYTES: usize = 64 * 1024;
const OTHERS: u32 = 0o077;

/// Why a private file or folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such file.
    #[error("{path} does not exist")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file that was to be made is there already.
    #[error("{path} exists already")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Others may read or change it.
    #[error("{path} has mode {mode:04o}: nobody but its owner may have access (chmod {fix:04o})")]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// The permission bits it should have.
        fix: u32,
    },
    /// It belongs to another user.
    #[error("{path} belongs to user {owner}, and this process runs as user {us}")]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// The owner's user id.
        owner: u32,
        /// Our effective user id.
        us: u32,
    },
    /// It is no regular file, or no folder.
    #[error("{path} is not a {expected}")]
    Kind {
        /// What is there.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
    },
    /// It is larger than any secret.
    #[error("{path} is larger than {MAX_BYTES} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {doing} {path}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// What the private file at `path` holds.
///
/// # Errors
/// [`Error`]; a file that others may read is refused, since its secret must be taken as known.
pub fn read_private(path: &Path) -> Result<Secret, Error> {
    // Looked at before it is opened, because opening a pipe would wait for its other end.
    check_file(path, &fs::metadata(path).map_err(failed("read", path))?)?;
    let file = File::open(path).map_err(failed("read", path))?;
    check_file(path, &file.metadata().map_err(failed("read", path))?)?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_BYTES + 1));
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLarge { path: path.to_owned() });
    }
    Ok(Secret::from(std::mem::take(&mut *bytes)))
}

/// Writes the private file at `path`, in place of what was there. On disk when it returns.
///
/// # Errors
/// [`Error`]; what was there is then still there.
pub fn write_private(path: &Path, bytes: &[u8], source: &dyn Source) -> Result<(), Error> {
    place(path, bytes, source, |temporary| {
        fs::rename(temporary, path).map_err(failed("write", path))
    })
}

/// Makes the private file at `path`. On disk when it returns; of several at once one succeeds.
///
/// # Errors
/// [`Error::Exists`] when there is a file already, which is left as it is.
pub fn create_private(path: &Path, bytes: &[u8], source: &dyn Source) -> Result<(), Error> {
    place(path, bytes, source, |temporary| {
        // A link is made only where there is nothing, so a file that is there is never replaced.
        fs::hard_link(temporary, path).map_err(failed("make", path))?;
        fs::remove_file(temporary).map_err(failed("tidy up after making", path))
    })
}

/// Makes the folder at `path` with mode 0700, or takes away what others may do with it.
///
/// # Errors
/// [`Error`]; also when the folder is a link, or belongs to another user.
pub fn private_folder(path: &Path) -> Result<(), Error> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => return sync_folder_of(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed("make folder", path)(error)),
    }
    let metadata = fs::symlink_metadata(path).map_err(failed("look at", path))?;
    if !metadata.is_dir() {
        return Err(Error::Kind { path: path.to_owned(), expected: "folder" });
    }
    check_owner(path, &metadata)?;
    if metadata.mode() & OTHERS != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(failed("close", path))?;
    }
    Ok(())
}

/// Writes `bytes` to a file of another name beside `path`, lets `finish` give it its name, and
/// makes both last.
fn place(
    path: &Path,
    bytes: &[u8],
    source: &dyn Source,
    finish: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut random = [0; 8];
    source.random(&mut random);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{:016x}.new", u64::from_be_bytes(random)));
    let temporary = path.with_file_name(name);
    let written = write_new(&temporary, bytes).and_then(|()| finish(&temporary));
    if written.is_err() {
        // The first error is the one that counts; what is left behind is as private as the file.
        drop(fs::remove_file(&temporary));
    }
    written?;
    sync_folder_of(path)
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path).map_err(failed("make", path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed("write", path))
}

/// Makes the entry of `path` in its folder last.
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), Error> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("sync", folder))
}

fn check_file(path: &Path, metadata: &fs::Metadata) -> Result<(), Error> {
    if !metadata.is_file() {
        return Err(Error::Kind { path: path.to_owned(), expected: "regular file" });
    }
    check_owner(path, metadata)?;
    let mode = metadata.mode() & 0o7777;
    if mode & OTHERS != 0 {
        return Err(Error::Open { path: path.to_owned(), mode, fix: 0o600 });
    }
    Ok(())
}

fn check_owner(path: &Path, metadata: &fs::Metadata) -> Result<(), Error> {
    let us = rustix::process::geteuid().as_raw();
    if metadata.uid() != us {
        return Err(Error::Foreign { path: path.to_owned(), owner: metadata.uid(), us });
    }
    Ok(())
}

fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Error {
    move |source| {
        let (kind, path) = (source.kind(), path.to_owned());
        if kind == io::ErrorKind::NotFound && doing == "read" {
            Error::Missing { path }
        } else if kind == io::ErrorKind::AlreadyExists {
            Error::Exists { path }
        } else {
            Error::Io { doing, path, source }
        }
    }
}
