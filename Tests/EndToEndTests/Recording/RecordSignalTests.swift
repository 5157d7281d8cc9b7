import Foundation
import TestSupport
import Testing

/// What signals do to a recorder and its command, and what is left of both.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RecordSignalTests {
    private typealias Place = RecordingPlace

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func signalIsHandedOnAndTheCommandsStatusIsKept(_ signal: Int32) throws {
        let place = try Place()
        defer { place.folder.remove() }
        let (process, command) = try place.started(
            preparing: "trap 'exit 23' TERM INT HUP",
            "while :; do sleep 0.1; done"
        )
        kill(process.processIdentifier, signal)
        #expect(Place.ending(process, within: 10) == 23)
        #expect(!Place.isRunning(command))
        #expect(place.leftFolders.isEmpty)
    }

    @Test func secondInterruptionEndsWhatDoesNotListen() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let heard = place.folder.file("heard")
        let (process, command) = try place.started(
            preparing: "trap 'echo > \(heard)' TERM INT",
            "while :; do sleep 0.1; done"
        )
        kill(process.processIdentifier, SIGINT)
        for _ in 0..<1000 where !FileManager.default.fileExists(atPath: heard) { usleep(10_000) }
        #expect(FileManager.default.fileExists(atPath: heard), "the first one is handed on")
        #expect(process.isRunning && kill(command, 0) == 0)
        kill(process.processIdentifier, SIGINT)
        #expect(Place.ending(process, within: 10) == 137)
        #expect(!Place.isRunning(command))
        #expect(place.leftFolders.isEmpty)
        let errors = try String(contentsOfFile: place.folder.file("err"), encoding: .utf8)
        #expect(errors.contains("0 exchanges recorded"))
    }

    @Test func ctrlCReachesTheCommandOnce() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let seen = try place.onTerminal(
            place.options + [
                "--", "sh", "-c",
                "trap 'echo interrupted; n=$((n+1))' INT; echo ready; while [ -z \"$n\" ]; do sleep 0.1; done; "
                    + "for i in 1 2 3 4 5; do sleep 0.1; done; exit $n",
            ],
            type: [("ready", "\\x03")]
        )
        #expect(seen.text.components(separatedBy: "interrupted").count == 2, "\(seen.text)")
        #expect(seen.status == 1)
    }

    @Test func ctrlCEndsARecordingWithoutACommand() throws {
        let place = try Place()
        defer { place.folder.remove() }
        // The line comes a moment after the address.
        let seen = try place.onTerminal(
            place.options,
            columns: 40,
            type: [("backend: not yet seen", "\\x03")]
        )
        #expect(seen.status == 0)
        #expect(seen.text.contains("browser: not yet seen · backend: not yet seen"))
    }

    /// A program in Java writes what its threads are at then, and goes on.
    @Test func ctrlBackslashIsTheCommands() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let seen = try place.onTerminal(
            place.options + [
                "--", "sh", "-c",
                "trap 'echo asked; n=$((n+1))' QUIT; echo ready; while [ -z \"$n\" ]; do sleep 0.1; done; "
                    + "for i in 1 2 3 4 5; do sleep 0.1; done; exit $((n+6))",
            ],
            type: [("ready", "\\x1c")]
        )
        #expect(seen.text.components(separatedBy: "asked").count == 2, "\(seen.text)")
        #expect(seen.status == 7)
        #expect(seen.text.contains("0 exchanges recorded") && !seen.text.contains("crashed"), "\(seen.text)")
    }

    @Test func ctrlBackslashEndsARecordingWithoutACommand() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let seen = try place.onTerminal(place.options, type: [("backend: not yet seen", "\\x1c")])
        #expect(seen.status == 0)
        #expect(seen.text.contains("0 exchanges recorded") && !seen.text.contains("crashed"), "\(seen.text)")
    }

    @Test func killedRecordersFolderIsRemovedByTheNext() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let (process, command) = try place.started("exec sleep 60 > /dev/null 2>&1")
        kill(process.processIdentifier, SIGKILL)
        kill(command, SIGKILL)
        process.waitUntilExit()
        #expect(place.leftFolders.count == 1)
        #expect(try place.record(["--", "true"]).status == 0)
        #expect(place.leftFolders.isEmpty)
    }
}
