import Captures
import Foundation
import JOSE

extension CommandFailure {
    /// Why a capture cannot be used, with what to do next.
    init(_ error: CaptureError) {
        let (status, hint): (ExitStatus, String?) =
            switch error {
            case .notHAR:
                (
                    .dataError,
                    "a capture is a HAR file: export one from the browser's network panel, or run \(Invocation.command("record"))"
                )
            case .notCapture(let path, _, let advice): (.dataError, Self.naming(path, advice))
            case .unusableArchive: (.dataError, "unpack it, and name the capture in it")
            case .noSuchFile(path: ""): (.noInput, "a variable that is not set is none: name the file itself")
            // What the shell has left as it was.
            case .noSuchFile(let path) where path.contains("*"):
                (.noInput, Self.missingFolder(of: path) ?? "no name is like that: look into the folder")
            case .noSuchFile(let path) where Self.pasted(path) != nil: (.noInput, Self.pasted(path))
            case .noSuchFile(let path) where path.contains("\u{fffd}"):
                (
                    .noInput,
                    "where the name's bytes are no UTF-8, give the capture as standard input: - < FILE"
                )
            case .noSuchFile(let path) where path.contains(/(^|#)flow-\d+$/):
                (.noInput, Self.choice(path))
            case .noSuchFile(let path):
                (
                    .noInput,
                    Self.meant(by: path)
                        ?? (path.contains(/\.pcap(ng)?$/) ? ImportInput.hint(onMissing: path) : nil)
                        ?? Self.making(path)
                )
            case .inputOutput(let path, let reason):
                (reason == Self.noRoom ? .unavailable : .noInput, Self.advice(path, reason))
            case .lockedByAnother:
                (.unavailable, "stop the other recording, or choose another file with --out")
            case .notOurs: (.noInput, "choose a file that does not exist with --out")
            }
        let isUnnamed = error == .noSuchFile(path: "")
        self.init(status, isUnnamed ? "the name of the capture is empty" : "\(error)", hint: hint)
    }

    /// The advice with the file's own name in it, where it is one by itself: import unpacks that, too.
    private static func naming(_ path: String, _ advice: String) -> String {
        guard let command = advice.firstMatch(of: /authreel (import|jwt) FILE(?= )/),
            FileManager.default.fileExists(atPath: path)
        else { return advice }
        return advice.replacing(
            command.output.0,
            with: Invocation.command(String(command.output.1), path)
        )
    }

    /// How a capture of a name comes to be there, which nothing writes where its folder is not.
    private static func making(_ path: String) -> String {
        if let missing = missingFolder(of: path) { return missing }
        return path.hasSuffix(".age")
            ? Invocation.command("share", "login.har", "--encrypt-to", "age1…", "--out", path) + " makes one"
            : "\(Invocation.command("record", "--out", path)) makes one"
    }

    /// That the folder of a name is not there, either; nil where it is.
    private static func missingFolder(of path: String) -> String? {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard !FileManager.default.fileExists(atPath: folder) else { return nil }
        let named = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? folder
        return "there is no folder \(ShellWord.quoted(named)), either"
    }

    /// What to do with something that was copied from elsewhere, and is no file.
    private static func pasted(_ text: String) -> String? {
        if JSONWebToken.parse(text) != nil {
            return "a token is decoded by \(Invocation.command("jwt", text))"
        }
        if text.hasPrefix("file://"), let path = URL(string: text)?.path(percentEncoded: false) {
            return "a file is named by its path: \(ShellWord.quoted(path))"
        }
        guard text.hasPrefix("http://") || text.hasPrefix("https://") else { return nil }
        return
            "a capture is a file, so download it; \(Invocation.command("record", "--browser", text)) records a login there"
    }

    /// How a login is chosen, for who names it like a file, or behind one as `diff` takes it and reports write it.
    private static func choice(_ path: String) -> String {
        guard let mark = path.lastIndex(of: "#") else {
            return "a login of a capture is chosen by --flow \(path)"
        }
        let (capture, flow) = (String(path[..<mark]), path[path.index(after: mark)...])
        return "a login of a capture is chosen by --flow \(flow) \(ShellWord.quoted(capture))"
    }

    /// The files beside a name that is none whose names are near it; captures unless others may be meant.
    ///
    /// Of a link to nothing it is where that leads.
    static func meant(
        by path: String,
        among isCandidate: (String) -> Bool = { $0.contains(".har") }
    ) -> String? {
        if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
            return "the link is there, and \(ShellWord.quoted(target)), where it leads, is not"
        }
        let name = URL(filePath: path).lastPathComponent
        guard path.hasSuffix(name) else { return nil }
        let folder = String(path.dropLast(name.count))
        let all = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
        guard let all, all.count < 2000 else { return nil }
        let near =
            all.contains("\(name).har")
            ? ["\(name).har"] : Spelling.near(name, in: all.filter(isCandidate).sorted())
        guard !near.isEmpty else { return nil }
        return "did you mean \(near.map { ShellWord.quoted(folder + $0) }.joined(separator: ", "))?"
    }

    private static let noRoom = ENOSPC.systemReason

    /// What to do about a capture that is there and cannot be read.
    private static func advice(_ path: String, _ reason: String) -> String? {
        switch reason {
        case _ where path == "-": "name the file of the capture, or give it as standard input: - < FILE"
        case "is a folder":
            "name the captures in it, one by one or as \(ShellWord.quoted(path))\(path.hasSuffix("/") ? "" : "/")*.har"
        // That of a recording as root, most often: nobody else may read it.
        case EACCES.systemReason:
            "only its owner may read a capture; one that was recorded with sudo becomes yours by: sudo chown \"$USER\" \(ShellWord.quoted(path))"
        case noRoom: "make room there, or write to another place"
        default: nil
        }
    }
}
