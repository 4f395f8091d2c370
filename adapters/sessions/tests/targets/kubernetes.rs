//! A pod as a target, against a scripted kubectl: it writes down each call, and runs what is
//! `exec`ed on this machine. It shows what kubectl is told, not that a cluster understands it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use acp_sessions::{
    api::SessionId,
    config::TargetConfig,
    target::{Ground, Locator, Place},
};

use crate::{
    every,
    scene::{PATIENCE, Scene, marker, running, sh, shell, target_of, until},
};

/// A pod is a file that holds its phase.
const SCRIPT: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit
PATH=$PWD/bin:$PATH
printf '%s|' "$@" >> calls; echo >> calls
test "$1 $2" = "--context=there --namespace=mine" || { echo "another cluster" >&2; exit 1; }
shift 2
case $1 in
    get) test ! -f "$3" || cat "$3" ;;
    run) test ! -f refuse || { echo "error: quota exceeded" >&2; exit 1; }; echo Running > "$2" ;;
    wait) test -f "${4#pod/}" ;;
    exec) test -f "$4" || { echo "no pod $4" >&2; exit 1; }; shift 5; exec "$@" ;;
    delete) rm -f "$3" ;;
esac
"#;

struct Stage {
    scene: Scene,
    folder: PathBuf,
    target: TargetConfig,
}

impl Stage {
    fn new() -> Self {
        let scene = Scene::new();
        let folder = scene.folder.path().join("cluster");
        fs::create_dir(&folder).unwrap();
        let program = folder.join("kubectl");
        fs::write(&program, SCRIPT).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let target = target_of(&format!(
            "kind = \"kubernetes\"\nimage = \"coding:1\"\ncontext = \"there\"\nnamespace = \"mine\"\n\
             options = [\"--requests=cpu=1\"]\nkubectl = \"{}\"\n",
            program.display()
        ));
        Self {
            scene,
            folder,
            target,
        }
    }

    /// A place whose folder is below this test's, because the pod is this machine.
    fn locator(&self) -> Locator {
        let session = SessionId::random();
        let mut locator = Place::plan(&self.scene.grounds, &self.target, &session, None);
        assert_eq!(locator.ground, Ground::Managed("/acp-session".into()));
        locator.ground = Ground::Managed(self.folder.join("inside").join(session.as_str()));
        locator
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join("calls")).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn a_pod_is_made_worked_in_and_removed() {
    let stage = Stage::new();
    let locator = stage.locator();
    let (grounds, target) = (&stage.scene.grounds, &stage.target);
    Place::release_at(grounds, target, &locator, false)
        .await
        .unwrap();
    let gone = Place::attach(grounds, target, &locator).await.unwrap_err();
    assert!(gone.to_string().contains("the pod is gone"), "{gone}");
    let place = Place::provision(grounds, target, &locator).await.unwrap();
    let name = format!("acp-session-{}", locator.session);
    let calls = stage.calls();
    let run = calls.iter().find(|call| call.contains("|run|")).unwrap();
    let expected = format!(
        "--context=there|--namespace=mine|run|{name}|--image=coding:1|--labels=app=acp-sessions,\
         acp-sessions={}|--restart=Never|--requests=cpu=1|--command|--|sh|-c|",
        locator.session
    );
    assert!(run.starts_with(&expected), "{run}");

    every::commands(&place).await;
    every::bounds(&place).await;
    every::endings(&place).await;
    every::files(&stage.scene, &place).await;
    // Nothing of a command stands on kubectl's command line.
    assert!(
        stage
            .calls()
            .iter()
            .all(|call| !call.contains("no-such-program"))
    );

    shell(&place, "echo kept > kept").await;
    let marker = marker();
    let process = place
        .spawn(&sh(&format!("sleep {marker}; :")))
        .await
        .unwrap();
    until("it runs", || !running(&marker).is_empty()).await;
    // Another daemon comes, while this one's process is still there.
    let again = Place::attach(grounds, target, &locator).await.unwrap();
    assert_eq!(running(&marker), Vec::<String>::new());
    assert_eq!(shell(&again, "cat kept").await, "kept");
    drop((process, place));
    again.release(false).await.unwrap();
    assert!(!Path::new(&stage.folder.join(name)).exists());
}

#[tokio::test]
async fn what_the_cluster_refuses_is_told_in_its_words() {
    let stage = Stage::new();
    fs::write(stage.folder.join("refuse"), "").unwrap();
    let locator = stage.locator();
    let error = Place::provision(&stage.scene.grounds, &stage.target, &locator).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("quota exceeded"), "{error}");
}

#[tokio::test]
async fn a_guard_that_hears_nothing_ends_everything() {
    let stage = Stage::new();
    // In this pod a minute is four seconds, so the beats come too late.
    let bin = stage.folder.join("bin");
    fs::create_dir(&bin).unwrap();
    let quick = "#!/bin/sh\ntest \"$1\" != 60 || set -- 4\nexec /bin/sleep \"$@\"\n";
    fs::write(bin.join("sleep"), quick).unwrap();
    fs::set_permissions(bin.join("sleep"), fs::Permissions::from_mode(0o755)).unwrap();
    let locator = stage.locator();
    let place = Place::provision(&stage.scene.grounds, &stage.target, &locator)
        .await
        .unwrap();
    let marker = marker();
    let script = format!("setsid sleep {marker} & sleep {marker}; :");
    let mut process = place.spawn(&sh(&script)).await.unwrap();
    let ended = tokio::time::timeout(PATIENCE, process.handle.wait()).await;
    assert!(ended.is_ok(), "it was not ended");
    assert_eq!(running(&marker), Vec::<String>::new());
    // The next command gets a new guard.
    assert_eq!(shell(&place, "echo again").await, "again");
    place.release(false).await.unwrap();
}
