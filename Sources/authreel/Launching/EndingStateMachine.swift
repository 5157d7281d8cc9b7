import Foundation

/// Decides when a recording is over, and what has to be ended with it: the command, what it left running, the browser.
struct EndingStateMachine {
    enum Event: Equatable {
        /// SIGINT, SIGTERM, SIGHUP or SIGQUIT; one from the terminal has reached the command, too.
        case interrupted(signal: Int32, fromTerminal: Bool)
        /// The command is over; these are the processes it left.
        case commandEnded(ChildProcess.Ending, left: [Leftover])
        /// What the command had left is over as well.
        case leftoversEnded
        case browserEnded(ChildProcess.Ending)
        /// What was asked to end had time enough.
        case graceOver
    }

    /// A process that a command left running.
    struct Leftover: Equatable {
        var name: String
        var processID: Int32
        /// In a session of its own, as a daemon is.
        var isDaemon: Bool
    }

    enum Action: Equatable {
        case say(String)
        case warn(String)
        /// What the browser said last.
        case tellLastWords
        case signalCommand(Int32)
        case endBrowser
        case endLeftovers
        /// Calls back with ``Event/leftoversEnded``.
        case watchLeftovers
        /// Calls back with ``Event/graceOver``.
        case startGrace
        case killEverything
        /// Nothing of ours runs any more.
        case finish(status: Int32)
    }

    private enum Phase { case recording, ending, over }

    private let command: String?
    private var phase = Phase.recording
    private var commandRuns: Bool
    private var browserRuns: Bool
    private var leftoversRun = false
    private var interruptions = 0
    private var status: Int32 = 0

    /// - Parameters:
    ///   - command: the name of the command that is run; nil for none.
    ///   - hasBrowser: one was started.
    init(command: String?, hasBrowser: Bool) {
        self.command = command
        commandRuns = command != nil
        browserRuns = hasBrowser
    }

    mutating func handle(_ event: Event) -> [Action] {
        guard phase != .over else { return [] }
        return carryOut(event) + finishIfDone()
    }

    private mutating func carryOut(_ event: Event) -> [Action] {
        switch event {
        case .interrupted(let signal, let fromTerminal): interrupted(signal, fromTerminal)
        case .commandEnded(let ending, let left): commandEnded(ending, left)
        case .leftoversEnded: leftoversEnded()
        case .browserEnded(let ending): browserEnded(ending)
        case .graceOver: phase == .ending ? [.killEverything] : []
        }
    }

    private mutating func interrupted(_ signal: Int32, _ fromTerminal: Bool) -> [Action] {
        // It is the command's: Java says then what its threads are at, and goes on; what ends by it ends the recording.
        if signal == SIGQUIT, commandRuns { return fromTerminal ? [] : [.signalCommand(signal)] }
        interruptions += 1
        guard interruptions == 1 else { return [.killEverything] }
        var actions: [Action] = []
        if commandRuns, !fromTerminal { actions.append(.signalCommand(signal)) }
        return actions + end()
    }

    private mutating func commandEnded(_ ending: ChildProcess.Ending, _ left: [Leftover]) -> [Action] {
        commandRuns = false
        status = ending.status
        guard !left.isEmpty else { return phase == .recording ? end() : [] }
        leftoversRun = true
        let names = left.map { "\($0.name) (process \($0.processID))" }.joined(separator: ", ")
        let goesOn =
            phase == .recording && ending == .exited(0) && (browserRuns || left.contains(where: \.isDaemon))
        guard goesOn else {
            let begun = phase == .recording ? end() : [.endLeftovers]
            return [.say("\(command ?? "the command") left \(names): ended with the recording")] + begun
        }
        let until = browserRuns ? "the browser is closed" : "that ends"
        return [
            .say(
                "\(command ?? "the command") goes on in the background as \(names): recording until \(until), or Ctrl-C"
            ),
            .watchLeftovers,
        ]
    }

    private mutating func leftoversEnded() -> [Action] {
        leftoversRun = false
        // A browser that is still open has its own say: the person may be looking at what just ended.
        return phase == .recording && !browserRuns ? end() : []
    }

    private mutating func browserEnded(_ ending: ChildProcess.Ending) -> [Action] {
        browserRuns = false
        guard phase == .recording else { return [] }
        let goingOn = commandRuns ? "; recording until \(command ?? "the command") ends, or Ctrl-C" : ""
        var actions: [Action] = []
        if ending != .exited(0) {
            actions = [.tellLastWords, .warn("the browser ended with \(ending.words)\(goingOn)")]
            if command == nil { status = ExitStatus.unavailable.rawValue }
        } else if commandRuns {
            actions = [.say("the browser is closed\(goingOn)")]
        }
        return commandRuns ? actions : actions + end()
    }

    /// Asks all that runs to end; the command is not asked here, since it may be what ended.
    private mutating func end() -> [Action] {
        phase = .ending
        var actions: [Action] = []
        if browserRuns { actions.append(.endBrowser) }
        if leftoversRun { actions.append(.endLeftovers) }
        if browserRuns || leftoversRun || commandRuns { actions.append(.startGrace) }
        return actions
    }

    private mutating func finishIfDone() -> [Action] {
        guard phase == .ending, !commandRuns, !browserRuns, !leftoversRun else { return [] }
        phase = .over
        return [.finish(status: status)]
    }
}
