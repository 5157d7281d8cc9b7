import Captures

/// Words what becomes of the capture's file while it is recorded into.
enum CaptureTeller {
    /// Of a capture that nobody has named, and that would be empty.
    static let nothing = "nothing was recorded, so it is not kept"

    /// One line for each thing that happens, when it happens.
    static func tell(_ news: CaptureNews) {
        switch news {
        case .stuck(let path, let reason):
            StandardError.warn(
                "\(path) cannot be written: \(reason); traffic goes on, what is not in the file waits in memory"
            )
        case .stalls(let path, let time):
            StandardError.warn(
                "the disk of \(path) has not taken what was written for \(time.components.seconds) s; "
                    + "connections wait until it does, since an answer goes on when it is in the file"
            )
        case .cameBack(let path, let time):
            StandardError.note(
                "\(path) is written again after \(time.components.seconds) s; connections go on"
            )
        case .losing(let path):
            StandardError.warn(
                "no more room in memory for what \(path) should hold: exchanges are lost until it can be written"
            )
        case .goesOn(let path, let waited, let lost):
            StandardError.note(
                "\(path) is written again"
                    + (waited > 0
                        ? ": \(waited.counted("exchange")) that waited \(waited == 1 ? "is" : "are") in it"
                        : "")
                    + (lost > 0 ? "; \(lost) \(lost == 1 ? "is" : "are") lost" : "")
            )
        case .copied(let path, let why, let new): StandardError.warn(copied(path, why, to: new))
        case .adrift(let path, let why, let reason):
            StandardError.warn(
                "\(path) \(adrift(why)): \(reason); this is tried again until the recording ends"
            )
        case .begunAnew(let path, let new, let lost):
            StandardError.warn(
                "another program wrote into \(path)"
                    + (lost > 0 ? ", which has \(lost.counted("exchange")) less" : "")
                    + (new == path
                        ? "; the recording goes on in it from its beginning"
                        : "; it is left as it is, and the recording goes on in \(new)")
            )
        }
    }

    /// The capture was written anew, since what it had been written into is not it any more.
    private static func copied(_ path: String, _ why: CaptureWriter.Whereabouts, to new: String) -> String {
        let goesOn = "the recording goes on in \(new), with all that came before"
        switch why {
        case .gone, .inPlace:
            return "\(path) was deleted or moved; it is there again, with all that it held"
                + (new == path ? "" : ", as \(new)")
        case .replaced: return "\(path) was replaced by another file, which is left alone; \(goesOn)"
        case .extended, .changed:
            return "another program wrote into \(path); it is left as it is, and \(goesOn)"
        }
    }

    private static func adrift(_ why: CaptureWriter.Whereabouts) -> String {
        switch why {
        case .gone, .inPlace: "was deleted or moved, and cannot be put back"
        case .replaced: "was replaced, and there can be no other file"
        case .extended, .changed: "was written into by another program, and there can be no other file"
        }
    }

    /// The last line of a recording that is not whole.
    static func tellOfMissing(_ missing: SteadyCapture.Missing, in path: String) {
        StandardError.report(
            "\(missing.count.counted("exchange")) of this recording \(missing.count == 1 ? "is" : "are") not in \(path), "
                + "since \(missing.since.rfc3339.prefix(19))Z: \(missing.reason)",
            hint: nil
        )
    }
}
