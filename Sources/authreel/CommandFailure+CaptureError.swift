import Captures

extension CommandFailure {
    /// Why a capture cannot be used, with what to do next.
    init(_ error: CaptureError) {
        let (status, hint): (ExitStatus, String?) =
            switch error {
            case .notHAR:
                (
                    .dataError,
                    "a capture is a HAR file: export one from the browser's network panel, or run authreel record"
                )
            case .notCapture(_, _, let advice): (.dataError, advice)
            case .unusableArchive: (.dataError, "unpack it, and name the capture in it")
            case .noSuchFile(let path):
                (.noInput, "\(Invocation.command("record", "--out", path)) makes one")
            case .inputOutput: (.noInput, nil)
            case .lockedByAnother:
                (.unavailable, "stop the other recording, or choose another file with --out")
            case .notOurs: (.noInput, "choose a file that does not exist with --out")
            }
        self.init(status, "\(error)", hint: hint)
    }
}
