import Captures
import Foundation

/// Looks after the file of a recording once a second, while it goes on.
///
/// `@unchecked Sendable`: set up before anybody else has it; a source may be activated and cancelled on any thread.
final class CaptureInspection: @unchecked Sendable {
    private let timers: [any DispatchSourceTimer]

    init(of capture: SteadyCapture) {
        timers = [
            Self.everySecond("capture") { capture.inspect() },
            // Of its own: where the disk hangs, so does the other.
            Self.everySecond("writes") { capture.watchWrites() },
        ]
    }

    private static func everySecond(_ name: String, _ body: @escaping @Sendable () -> Void)
        -> any DispatchSourceTimer
    {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: name))
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler(handler: body)
        timer.activate()
        return timer
    }

    func end() { for timer in timers { timer.cancel() } }

    deinit { end() }
}
