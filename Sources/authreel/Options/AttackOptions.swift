import ArgumentParser
import Reports

/// The suite of attacks: who drives the logins, and where the result goes.
struct AttackOptions: ParsableArguments {
    @Flag(
        name: .customLong("attack-suite"),
        help: ArgumentHelp(
            "Drive a login for each fault, and tell which the application let through.",
            discussion:
                "--fault restricts it. Exit status 1 where one went through that a client must reject."
        )
    )
    var isWanted = false

    @Option(
        help: ArgumentHelp(
            "The login test of the suite, a line for the shell; its status 0 says that the login went through.",
            discussion:
                "It finds AUTHREEL_ISSUER, AUTHREEL_DISCOVERY, AUTHREEL_FAULT (empty in a good login) and, with --tls, AUTHREEL_CA.",
            valueName: "COMMAND"
        )
    )
    var drive: String?

    @Option(
        name: .customLong("drive-timeout"),
        help: ArgumentHelp(
            "End a login of the suite that takes longer; 60 without it. It did not go through then.",
            valueName: "SECONDS"
        )
    )
    var driveTimeout: Int?

    @Option(
        help: ArgumentHelp(
            "Also write the suite's result for test runners to a file.",
            valueName: "FILE.xml"
        ),
        completion: .file()
    )
    var junit: String?

    /// Seconds.
    var timeout: Int { driveTimeout ?? 60 }

    /// Whether the options go together.
    ///
    /// - Throws: ``CommandFailure`` that says what to do.
    func check(against mock: Mock) throws {
        let example =
            "\(Invocation.name) mock login.har --auto-login --attack-suite --drive 'npm run login-test'"
        guard isWanted else {
            let alone = [
                drive.map { _ in "--drive" }, driveTimeout.map { _ in "--drive-timeout" },
                junit.map { _ in "--junit" },
                [.junit, .markdown].contains(mock.format) ? "--format \(mock.format.rawValue)" : nil,
            ]
            guard let option = alone.compactMap({ $0 }).first else { return }
            throw CommandFailure(
                .usage,
                "\(option) is about --attack-suite, which is not given",
                hint: example
            )
        }
        guard let drive, drive.contains(where: { !$0.isWhitespace }) else {
            throw CommandFailure(
                .usage,
                "--attack-suite needs --drive: the command that logs in once, with exit status 0 when it went through",
                hint: example
            )
        }
        guard (1...86_400).contains(timeout) else {
            throw CommandFailure(
                .usage,
                "--drive-timeout takes seconds from 1 on, not \(timeout)",
                hint: "--drive-timeout 60"
            )
        }
        if mock.options.listFaults {
            throw CommandFailure(
                .usage,
                "--list-faults drives nothing: leave it or --attack-suite out",
                hint: "\(Invocation.name) mock --list-faults"
            )
        }
        if mock.options.asRecorded {
            throw CommandFailure(
                .usage,
                "--as-recorded gives the recorded outcome, a suite begins with a login that works: leave one of the two out",
                hint: example
            )
        }
        // A suite takes minutes: what it finds is not to be lost at its end.
        if let junit { try OutputFile.check(junit, option: "--junit FILE.xml") }
    }

    /// Prints the result, and ends with the status that it has.
    func tell(_ ended: AttackSuite.Ended, _ format: Mock.Format) throws {
        let report = ended.report
        if let junit {
            let text = AttackJUnit.text(of: report) + "\n"
            try OutputFile.write(Array(text.utf8), to: junit, isPrivate: true)
        }
        switch format {
        case .text: print(AttackText(report, style: Terminal.standardOutput.style).text)
        case .json: print(AttackJSON.text(of: report))
        case .junit: print(AttackJUnit.text(of: report))
        case .markdown: print(AttackMarkdown.text(of: report))
        }
        if let signal = ended.signal { throw ExitCode(128 + signal) }
        if !report.failures.isEmpty { throw ExitCode(ExitStatus.negative.rawValue) }
        if let stop = report.stop {
            throw CommandFailure(
                .unavailable,
                "\(stop): nothing is known of what was rejected since it last worked",
                hint: "make the login test dependable: run it some times in a row at \(Invocation.name) mock"
            )
        }
        if !report.provesSomething, report.rows.contains(where: \.mustBeRejected) {
            throw CommandFailure(
                .unavailable,
                "no attack found an occasion in this login: nothing is known of the application",
                hint: "the report says what each of them needs"
            )
        }
    }
}
