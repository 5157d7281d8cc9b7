import Foundation

/// A browser with a profile of its own, for one recording.
struct BrowserLauncher {
    /// The variable that tells what the browser starts from what the command does.
    static let mark = "AUTHREEL_BROWSER"
    let program: BrowserProgram
    let isHeadless: Bool
    private static let profileName = "browser"
    private static let logName = "browser.log"
    private static let scratchName = "tmp"

    /// Prepares a browser; nothing is started.
    ///
    /// - Parameters:
    ///   - program: which.
    ///   - isHeadless: without a window.
    ///   - environment: tells whether there is a display.
    ///   - remedy: what to do where there is none.
    /// - Throws: ``CommandFailure`` when it could not be shown.
    init(
        program: BrowserProgram,
        isHeadless: Bool,
        environment: [String: String],
        remedy: String =
            "--headless runs it without a window, for a login that needs no hands; without --browser one elsewhere can use the proxy"
    ) throws {
        #if os(Linux)
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
        guard isHeadless || hasDisplay else {
            throw CommandFailure(
                .unavailable,
                "there is no display for \(program.name): neither DISPLAY nor WAYLAND_DISPLAY is set",
                hint: remedy
            )
        }
        #endif
        self.program = program
        self.isHeadless = isHeadless
    }

    /// Makes the folder of its profile; a confined browser has one place that it may write to.
    func makeFolder() throws -> RunFolder {
        guard let parent = program.confinedFolder else { return try RunFolder() }
        try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        return try RunFolder(in: parent)
    }

    /// Starts it on a page.
    ///
    /// - Parameters:
    ///   - page: its address.
    ///   - folder: of ``makeFolder()``.
    ///   - route: to the recorder.
    ///   - certificatePath: of the recorder's authority.
    ///   - environment: what it would have had.
    ///   - pipe: of a browser that is driven: its descriptors 3 and 4; such a one calls nobody by itself.
    /// - Returns: the browser, running.
    /// - Throws: ``CommandFailure``.
    func start(
        page: String,
        in folder: RunFolder,
        route: BrowserRoute,
        certificatePath: String,
        environment: [String: String],
        pipe: DevToolsPipe? = nil
    ) throws -> ChildProcess {
        let profile = folder.file(Self.profileName)
        try FileManager.default.createDirectory(
            atPath: profile,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var arguments = arguments(page, profile: profile, route)
        switch program.family {
        case .chromium:
            if pipe != nil { arguments.insert(contentsOf: ChromiumProfile.drivenArguments, at: 0) }
        case .firefox:
            try folder.write(
                FirefoxProfile.preferences(route).utf8,
                to: "\(Self.profileName)/user.js"
            )
            try FirefoxProfile.trust(certificatePath, in: profile)
        }
        return try ChildProcess(
            path: program.path,
            name: program.path,
            arguments: arguments,
            environment: Self.environment(environment, folder),
            output: .file(folder.file(Self.logName)),
            descriptors: pipe?.childDescriptors ?? [:],
            leadsGroup: true
        )
    }

    /// Its command line, without the program.
    private func arguments(_ page: String, profile: String, _ route: BrowserRoute) -> [String] {
        switch program.family {
        case .chromium:
            ChromiumProfile.arguments(
                folder: profile,
                route: route,
                isHeadless: isHeadless,
                isRoot: getuid() == 0,
                pages: [page]
            )
        case .firefox:
            FirefoxProfile.arguments(folder: profile, isHeadless: isHeadless, pages: [page])
        }
    }

    /// Lines of a shell that open `$page` once the browser is there, in the environment of the command.
    ///
    /// A browser of the Chromium family with a window takes pages of others that name its profile; any other gets a profile of
    /// its own for the page, like the first one.
    ///
    /// - Parameters:
    ///   - folder: of ``makeFolder()``, in which ``start(page:in:route:certificatePath:environment:pipe:)`` starts the
    ///     browser.
    ///   - route: to the recorder.
    /// - Returns: the lines.
    func openingScript(in folder: RunFolder, route: BrowserRoute) -> String {
        let profile = folder.file(Self.profileName)
        let isShared = program.family == .chromium && !isHeadless
        // Firefox has read its settings and its trust when it writes the first.
        let sign = profile + (program.family == .chromium ? "/SingletonLock" : "/prefs.js")
        // No argument has a control character.
        let words = arguments("\u{2}", profile: "\u{1}", route).map {
            $0.quotedForShell.replacingOccurrences(of: "\u{1}", with: "'\"$profile\"'")
                .replacingOccurrences(of: "\u{2}", with: "'\"$page\"'")
        }
        var lines = [
            "turn=0",
            // The lock leads to no file.
            "until [ -e \(sign.quotedForShell) ] || [ -L \(sign.quotedForShell) ] || [ \"$turn\" -ge 600 ]; do",
            "    sleep 0.1",
            "    turn=$((turn + 1))",
            "done",
            "profile=\(profile.quotedForShell)",
        ]
        if !isShared {
            lines.append("profile=$(mktemp -d \(folder.file("page-XXXXXX").quotedForShell))")
        }
        if program.family == .firefox {
            let files = ["user.js", "cert9.db", "key4.db", "pkcs11.txt"].map {
                "\(profile)/\($0)".quotedForShell
            }
            lines.append("cp \(files.joined(separator: " ")) \"$profile\"")
        }
        lines.append("if [ -d \(folder.file(Self.scratchName).quotedForShell) ]; then")
        lines.append("    export TMPDIR=\(folder.file(Self.scratchName).quotedForShell)")
        lines.append("fi")
        lines.append("exec \(program.path.quotedForShell) \(words.joined(separator: " "))")
        return lines.joined(separator: "\n")
    }

    /// Chromium leaves a folder with a socket behind; there it is gone with the rest, where the socket's path is not too long.
    private static func environment(_ inherited: [String: String], _ folder: RunFolder) -> [String: String] {
        var environment = inherited
        environment[mark] = "1"
        let scratch = folder.file(scratchName)
        let longest = "/org.chromium.Chromium.XXXXXX/SingletonSocket"
        if scratch.utf8.count + longest.utf8.count < 104,
            (try? FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true))
                != nil
        {
            environment["TMPDIR"] = scratch
        }
        return environment
    }

    /// The last lines of what it said, for when it dies; at most `count` that are not empty.
    static func lastWords(in folder: RunFolder, _ count: Int = 3) -> [String] {
        let bytes = FileManager.default.contents(atPath: folder.file(logName)) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(count).map(String.init)
    }
}
