import Foundation
import Testing

@testable import authreel

/// When a recording ends, event by event.
struct EndingStateMachineTests {
    typealias Machine = EndingStateMachine

    static let daemon = Machine.Leftover(name: "apache2", processID: 40, isDaemon: true)
    static let job = Machine.Leftover(name: "sleep", processID: 41, isDaemon: false)

    @Test func withoutAnythingStartedTheFirstInterruptionEndsIt() {
        var machine = Machine(command: nil, hasBrowser: false)
        #expect(machine.handle(.interrupted(signal: 2, fromTerminal: true)) == [.finish(status: 0)])
        #expect(machine.handle(.interrupted(signal: 2, fromTerminal: true)) == [])
    }

    /// Ctrl-\ asks a program in Java what its threads are at, and ends others.
    @Test func quittingIsTheCommandsWhereThereIsOne() {
        var machine = Machine(command: "java", hasBrowser: true)
        for _ in 1...2 {
            #expect(machine.handle(.interrupted(signal: SIGQUIT, fromTerminal: true)) == [])
            #expect(
                machine.handle(.interrupted(signal: SIGQUIT, fromTerminal: false)) == [
                    .signalCommand(SIGQUIT)
                ]
            )
        }
        // It was no request to end, so that this one is the first.
        #expect(
            machine.handle(.interrupted(signal: SIGINT, fromTerminal: true)) == [.endBrowser, .startGrace]
        )
        machine = Machine(command: "app", hasBrowser: false)
        #expect(machine.handle(.interrupted(signal: SIGQUIT, fromTerminal: true)) == [])
        #expect(machine.handle(.commandEnded(.signalled(SIGQUIT), left: [])) == [.finish(status: 131)])
        machine = Machine(command: nil, hasBrowser: false)
        #expect(
            machine.handle(.interrupted(signal: SIGQUIT, fromTerminal: true)) == [.finish(status: 0)]
        )
    }

    @Test(arguments: [ChildProcess.Ending.exited(0), .exited(7), .signalled(9)])
    func itEndsWithTheCommandAndItsStatus(_ ending: ChildProcess.Ending) {
        var machine = Machine(command: "app", hasBrowser: false)
        #expect(machine.handle(.commandEnded(ending, left: [])) == [.finish(status: ending.status)])
    }

    @Test func commandsEndClosesTheBrowser() {
        var machine = Machine(command: "app", hasBrowser: true)
        #expect(machine.handle(.commandEnded(.exited(3), left: [])) == [.endBrowser, .startGrace])
        // What it says when we end it is not told of.
        #expect(machine.handle(.browserEnded(.signalled(15))) == [.finish(status: 3)])
    }

    @Test func closedBrowserEndsItWhereThereIsNoCommand() {
        var machine = Machine(command: nil, hasBrowser: true)
        #expect(machine.handle(.browserEnded(.exited(0))) == [.finish(status: 0)])
    }

    @Test func closedBrowserDoesNotEndACommand() {
        var machine = Machine(command: "app", hasBrowser: true)
        #expect(
            machine.handle(.browserEnded(.exited(0)))
                == [.say("the browser is closed; recording until app ends, or Ctrl-C")]
        )
        #expect(machine.handle(.commandEnded(.exited(0), left: [])) == [.finish(status: 0)])
    }

    @Test func browserThatDiesIsToldOf() {
        var machine = Machine(command: nil, hasBrowser: true)
        #expect(
            machine.handle(.browserEnded(.signalled(11)))
                == [
                    .tellLastWords, .warn("the browser ended with signal 11 (Segmentation fault)"),
                    .finish(status: 69),
                ]
        )
        machine = Machine(command: "app", hasBrowser: true)
        #expect(
            machine.handle(.browserEnded(.exited(1)))
                == [
                    .tellLastWords,
                    .warn("the browser ended with status 1; recording until app ends, or Ctrl-C"),
                ]
        )
        #expect(machine.handle(.commandEnded(.exited(0), left: [])) == [.finish(status: 0)])
    }

    @Test func daemonIsRecordedUntilItEnds() {
        var machine = Machine(command: "apachectl", hasBrowser: false)
        #expect(
            machine.handle(.commandEnded(.exited(0), left: [Self.daemon]))
                == [
                    .say(
                        "apachectl goes on in the background as apache2 (process 40): recording until that ends, or Ctrl-C"
                    ), .watchLeftovers,
                ]
        )
        #expect(machine.handle(.leftoversEnded) == [.finish(status: 0)])
    }

    @Test func withABrowserADaemonIsRecordedUntilThatIsClosed() {
        var machine = Machine(command: "apachectl", hasBrowser: true)
        #expect(machine.handle(.commandEnded(.exited(0), left: [Self.daemon])).last == .watchLeftovers)
        #expect(machine.handle(.browserEnded(.exited(0))) == [.endLeftovers, .startGrace])
        #expect(machine.handle(.leftoversEnded) == [.finish(status: 0)])
    }

    @Test func daemonThatEndsLeavesTheBrowserOpen() {
        var machine = Machine(command: "apachectl", hasBrowser: true)
        _ = machine.handle(.commandEnded(.exited(0), left: [Self.daemon]))
        #expect(machine.handle(.leftoversEnded) == [])
        #expect(machine.handle(.browserEnded(.exited(0))) == [.finish(status: 0)])
    }

    @Test(arguments: [(ChildProcess.Ending.exited(0), job), (.exited(1), daemon)])
    func whatACommandLeavesOtherwiseEndsWithIt(_ row: (ending: ChildProcess.Ending, left: Machine.Leftover)) {
        var machine = Machine(command: "sh", hasBrowser: false)
        #expect(
            machine.handle(.commandEnded(row.ending, left: [row.left]))
                == [
                    .say(
                        "sh left \(row.left.name) (process \(row.left.processID)): ended with the recording"
                    ),
                    .endLeftovers, .startGrace,
                ]
        )
        #expect(machine.handle(.leftoversEnded) == [.finish(status: row.ending.status)])
    }

    @Test func signalFromElsewhereIsHandedOn() {
        var machine = Machine(command: "app", hasBrowser: true)
        #expect(
            machine.handle(.interrupted(signal: 15, fromTerminal: false)) == [
                .signalCommand(15), .endBrowser, .startGrace,
            ]
        )
        #expect(machine.handle(.browserEnded(.signalled(15))) == [])
        #expect(machine.handle(.commandEnded(.signalled(15), left: [])) == [.finish(status: 143)])
    }

    @Test func ctrlCHasReachedTheCommandAlready() {
        var machine = Machine(command: "app", hasBrowser: false)
        #expect(machine.handle(.interrupted(signal: 2, fromTerminal: true)) == [.startGrace])
        #expect(machine.handle(.commandEnded(.exited(0), left: [])) == [.finish(status: 0)])
    }

    @Test func secondInterruptionAndTheEndOfPatienceKill() {
        var machine = Machine(command: "app", hasBrowser: false)
        _ = machine.handle(.interrupted(signal: 2, fromTerminal: true))
        #expect(machine.handle(.interrupted(signal: 2, fromTerminal: true)) == [.killEverything])
        #expect(machine.handle(.graceOver) == [.killEverything])
        #expect(machine.handle(.commandEnded(.signalled(9), left: [Self.job])).contains(.endLeftovers))
        #expect(machine.handle(.leftoversEnded) == [.finish(status: 137)])
    }

    @Test func patienceCountsOnlyWhereSomethingWasAsked() {
        var machine = Machine(command: "app", hasBrowser: false)
        #expect(machine.handle(.graceOver) == [])
    }
}
