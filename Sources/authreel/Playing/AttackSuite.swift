import Foundation
import Provider
import Reports

/// A suite of attacks while it runs: ``AttackSuiteStateMachine`` decides, this carries out.
struct AttackSuite {
    /// How it came out.
    struct Ended {
        var report: AttackReport
        /// That ended it early; nil where none did.
        var signal: Int32?
    }

    let session: AttackSession
    let issuer: PlayedProvider.Issuer
    /// The certificate that clients have to trust; nil without TLS.
    let authority: String?
    let faults: [Fault]
    let command: String
    let timeout: Duration

    /// Drives every login.
    ///
    /// - Parameter signals: the first ends the suite, the second at once.
    /// - Returns: what is known, also where a signal ended it.
    /// - Throws: ``CommandFailure`` when the good login does not work to begin with.
    func run(signals: AsyncStream<Int32>) async throws -> Ended {
        let folder = try RunFolder()
        defer { folder.remove() }
        let drive = DriveCommand(command, timeout: timeout, folder: folder)
        let caught = Late<Int32>()
        // Cancelled below: a signal comes while a login is waited for.
        let listener = Task {
            for await signal in signals {
                if caught.value == nil { caught.set(signal) }
                drive.interrupt()
            }
        }
        defer { listener.cancel() }
        let progress = AttackProgress(total: faults.count)
        progress.begin(command)
        let began = ContinuousClock.now
        var machine = AttackSuiteStateMachine(faults, isByTLS: authority != nil)
        while case .drive(let fault) = machine.next() {
            progress.show(fault?.id, done: faults.count - machine.remaining)
            // Only the first good login is asked: later ones are compared with it.
            let probes = machine.goodLogins.isEmpty ? faults : []
            session.begin(breaking: fault, probing: probes)
            var login = try await drive.run(environment: environment(fault))
            let (sighting, refusals) = session.end()
            login.sighting = sighting
            if caught.value != nil {
                machine.interrupted()
                break
            }
            machine.ended(login)
            progress.clear()
            if let fault, let result = machine.results.last, result.fault.id == fault.id {
                progress.tell(AttackReport.Row(result))
            } else {
                progress.tellGood(login)
                try check(machine.stop, login, refusals)
            }
        }
        progress.clear()
        let report = AttackReport(
            issuer: issuer.identifier,
            command: command,
            rows: machine.results.map(AttackReport.Row.init),
            goodLogins: machine.goodLogins.count,
            duration: ContinuousClock.now - began,
            stop: machine.stop.map(Self.words),
            notReached: faults.count - machine.results.count
        )
        return Ended(report: report, signal: caught.value)
    }

    private func environment(_ fault: Fault?) -> [String: String] {
        var variables = ProcessInfo.processInfo.environment
        variables["AUTHREEL_ISSUER"] = issuer.identifier
        variables["AUTHREEL_DISCOVERY"] = issuer.discovery
        variables["AUTHREEL_FAULT"] = fault?.id ?? ""
        variables["AUTHREEL_CA"] = authority
        return variables
    }

    // MARK: - A good login that is none

    /// Stops where there is nothing to compare with.
    private func check(_ stop: AttackSuiteStateMachine.Stop?, _ login: DrivenLogin, _ refusals: [String])
        throws
    {
        switch stop {
        case .goodLoginFails:
            tellLastWords(login, refusals)
            // What a shell ends with that finds no such command, or may not run it.
            if login.sighting.answers.isEmpty, [.exited(126), .exited(127)].contains(login.ending) {
                throw CommandFailure(
                    .unavailable,
                    "the login test cannot be run: \(AttackReport.Row.words(login, timeout))",
                    hint: "--drive takes a line for the shell, which is run in this folder"
                )
            }
            let asked =
                login.sighting.answers.isEmpty
                ? "; the provider was asked for nothing: is the application pointed at \(issuer.identifier)?"
                : ""
            throw CommandFailure(
                .unavailable,
                "the login test fails although nothing is wrong with the provider: \(AttackReport.Row.words(login, timeout))\(asked)",
                hint:
                    "make it pass at \(Invocation.name) mock without --attack-suite first; the issuer is in AUTHREEL_ISSUER"
            )
        case .nothingAsked:
            tellLastWords(login, refusals)
            throw CommandFailure(
                .unavailable,
                "the login test passed, and nobody logged in at this provider",
                hint:
                    "point the application at \(issuer.identifier) (AUTHREEL_ISSUER), and let each login begin with a new session"
            )
        case .goodLoginFailsNow: tellLastWords(login, refusals)
        case .interrupted, nil: break
        }
    }

    private func tellLastWords(_ login: DrivenLogin, _ refusals: [String]) {
        for line in login.lastWords { StandardError.line("  | \(line.printable)") }
        for refusal in refusals {
            StandardError.line("  the provider refused: \(refusal.printable.shortened(to: 200))")
        }
    }

    private static func words(_ stop: AttackSuiteStateMachine.Stop) -> String {
        switch stop {
        case .goodLoginFails: "the good login fails"
        case .nothingAsked: "the provider was asked for nothing"
        case .goodLoginFailsNow(let fault): "the good login, which worked before, fails after \(fault)"
        case .interrupted: "interrupted"
        }
    }
}

extension AttackReport.Row {
    init(_ result: AttackResult) {
        let fault = result.fault
        var row = AttackReport.Row(
            fault: fault.id,
            rule: fault.rule,
            summary: fault.summary,
            mustBeRejected: fault.mustBeRejected,
            duty: fault.duty,
            verdict: .letThrough,
            isConfirmed: result.isConfirmed
        )
        switch result.verdict {
        case .rejected: row.verdict = .rejected
        case .letThrough: row.verdict = .letThrough
        case .undecided(let condition):
            row.verdict = .undecided
            row.reason = condition
        case .notExercised(let reason):
            row.verdict = .notExercised
            row.reason = reason
        }
        if let login = result.login {
            row.ending = Self.words(login, nil)
            row.isTimeout = login.ending == .timedOut
            row.duration = login.duration
            row.wentOn = login.sighting.wentOn.map(\.words)
            row.lastWords = login.lastWords
        }
        self = row
    }

    /// How the command ended.
    static func words(_ login: DrivenLogin, _ timeout: Duration?) -> String {
        switch login.ending {
        case .exited(let status): ChildProcess.Ending.exited(status).words
        case .signalled(let signal): ChildProcess.Ending.signalled(signal).words
        case .timedOut:
            timeout.map { "it did not end within \($0.components.seconds) s" } ?? "ended after its time"
        }
    }
}
