import Foundation

/// A browser of this machine.
struct BrowserProgram: Sendable, Hashable {
    /// What its profile looks like.
    enum Family: Sendable, Hashable {
        case chromium
        case firefox
    }

    /// As a person calls it.
    var name: String
    var path: String
    var family: Family

    /// A kind of browser, with the names that its program goes by, best first.
    struct Kind: Sendable {
        var name: String
        var family: Family
        var programs: [String]
        /// Where it is on macOS.
        var application: String
    }

    /// In the order in which they are looked for.
    static let kinds = [
        Kind(
            name: "Chromium",
            family: .chromium,
            programs: ["chromium", "chromium-browser"],
            application: "Chromium"
        ),
        Kind(
            name: "Chrome",
            family: .chromium,
            programs: ["google-chrome-stable", "google-chrome", "chrome"],
            application: "Google Chrome"
        ),
        Kind(
            name: "Edge",
            family: .chromium,
            programs: ["microsoft-edge-stable", "microsoft-edge"],
            application: "Microsoft Edge"
        ),
        Kind(
            name: "Brave",
            family: .chromium,
            programs: ["brave-browser-stable", "brave-browser", "brave"],
            application: "Brave Browser"
        ),
        Kind(
            name: "Firefox",
            family: .firefox,
            programs: ["firefox-esr", "firefox"],
            application: "Firefox"
        ),
    ]

    /// The browser that was asked for, else the first that is there.
    ///
    /// - Parameters:
    ///   - wanted: a name (`firefox`, `chrome`), a program's name or a path; nil for any.
    ///   - searchPath: as in `PATH`.
    /// - Returns: what can be started.
    /// - Throws: ``CommandFailure`` naming what was looked for.
    static func find(_ wanted: String?, searchPath: String) throws -> BrowserProgram {
        if let wanted {
            if let kind = kinds.first(where: { $0.name.lowercased() == wanted.lowercased() }) {
                if let program = installed(kind, searchPath) { return program }
            } else {
                switch ProgramPath.lookup(wanted, searchPath: searchPath) {
                case .found(let path):
                    return BrowserProgram(name: wanted, path: path, family: family(of: path))
                case .unusable(let reason): throw CommandFailure(.noInput, reason, hint: nameOne)
                case .notFound: break
                }
            }
            throw CommandFailure(.noInput, "no browser \(wanted) here", hint: nameOne)
        }
        for kind in kinds { if let program = installed(kind, searchPath) { return program } }
        throw CommandFailure(
            .noInput,
            "no browser found: none of \(kinds.flatMap(\.programs).joined(separator: ", ")) is in PATH",
            hint: "install one (Debian: apt install chromium), or name it: --browser-program PATH"
        )
    }

    private static let nameOne =
        "name one of chromium, chrome, edge, brave, firefox, or the path of its program"

    private static func installed(_ kind: Kind, _ searchPath: String) -> BrowserProgram? {
        for program in kind.programs {
            if case .found(let path) = ProgramPath.lookup(program, searchPath: searchPath) {
                return BrowserProgram(name: kind.name, path: path, family: kind.family)
            }
        }
        #if os(macOS)
        for root in ["/Applications", NSHomeDirectory() + "/Applications"] {
            let path = "\(root)/\(kind.application).app/Contents/MacOS/\(kind.application)"
            if case .found = ProgramPath.lookup(path, searchPath: "") {
                return BrowserProgram(name: kind.name, path: path, family: kind.family)
            }
        }
        #endif
        return nil
    }

    /// The browser that is to be driven, which only those of the Chromium family let themselves be by a pipe.
    ///
    /// - Parameters:
    ///   - wanted: as for ``find(_:searchPath:)``.
    ///   - searchPath: as in `PATH`.
    /// - Returns: what can be started.
    /// - Throws: ``CommandFailure`` that says what to install.
    static func findDrivable(_ wanted: String?, searchPath: String) throws -> BrowserProgram {
        guard wanted == nil else {
            let program = try find(wanted, searchPath: searchPath)
            guard program.family == .chromium else {
                throw CommandFailure(
                    .usage,
                    "\(program.name) cannot be driven: only browsers of the Chromium family can",
                    hint: "--browser-program chromium, chrome, edge, brave, or the path of one"
                )
            }
            return program
        }
        let drivable = kinds.filter { $0.family == .chromium }
        for kind in drivable { if let program = installed(kind, searchPath) { return program } }
        throw CommandFailure(
            .unavailable,
            "no browser to drive: none of \(drivable.flatMap(\.programs).joined(separator: ", ")) is in PATH",
            hint: "install one (Debian: apt install chromium), or name it: --browser-program PATH"
        )
    }

    /// Whatever is not called after Firefox takes the switches of Chromium.
    private static func family(of path: String) -> Family {
        let name = (path as NSString).lastPathComponent.lowercased()
        return ["firefox", "librewolf", "waterfox", "iceweasel"].contains { name.contains($0) }
            ? .firefox : .chromium
    }

    /// The only place where a snap may have files of its user's that are not hidden from us; nil for other programs.
    var confinedFolder: String? {
        let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? ""
        var isSnap = path.hasPrefix("/snap/") || target.hasPrefix("/snap/") || target == "/usr/bin/snap"
        if !isSnap, let handle = FileHandle(forReadingAtPath: path) {
            // Ubuntu leaves a script in place of its package.
            let beginning = String(decoding: (try? handle.read(upToCount: 4096)) ?? Data(), as: UTF8.self)
            isSnap = beginning.hasPrefix("#!") && beginning.contains("/snap/bin/")
        }
        guard isSnap else { return nil }
        let snap =
            family == .firefox
            ? "firefox"
            : (path as NSString).lastPathComponent
                .replacingOccurrences(of: "chromium-browser", with: "chromium")
        return NSHomeDirectory() + "/snap/\(snap)/common"
    }
}
