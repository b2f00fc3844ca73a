//! Owns copies of a world: what was laid out once is tried many times, each time as it was.

use std::path::Path;
use std::time::Duration;

use crate::world::{Service, World, serve};

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().expect("a client")
}

/// Copies a folder with all that is in it. The modes of files, by which keys are judged, go with them.
fn copy_all(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            std::fs::create_dir(&target).expect("a folder");
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("is copied");
        }
    }
}

impl World {
    /// Stops the service of this world and waits until nothing of it writes any more. What stood then
    /// stands in its folder, to be [copied](Self::copy).
    pub async fn close(&mut self, service: Service) {
        service.stop();
        self.client = client();
        // A worker ends at the beat after its last connection went.
        tokio::time::sleep(Duration::from_millis(2500)).await;
    }

    /// The same world over a copy of the folder of a closed one, with a service of its own.
    pub async fn copy(&self) -> (Self, Service) {
        let dir = tempfile::tempdir().expect("a folder");
        copy_all(self.dir.path(), dir.path());
        let service = serve(dir.path()).await;
        let world = Self {
            url: service.url.clone(),
            operator: self.operator.clone(),
            ana: self.ana.clone(),
            rui: self.rui.clone(),
            shop_bot: self.shop_bot.clone(),
            returns_bot: self.returns_bot.clone(),
            gus: self.gus.clone(),
            globex_bot: self.globex_bot.clone(),
            ids: self.ids.clone(),
            upstream: self.upstream.clone(),
            client: client(),
            dir,
        };
        (world, service)
    }
}
