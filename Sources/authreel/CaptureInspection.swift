import Captures
import Foundation

/// Looks after the file of a recording once a second, while it goes on.
///
/// `@unchecked Sendable`: set up before anybody else has it; a source may be activated and cancelled on any thread.
final class CaptureInspection: @unchecked Sendable {
    private let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "capture"))

    init(of capture: SteadyCapture) {
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler { capture.inspect() }
        timer.activate()
    }

    func end() { timer.cancel() }

    deinit { timer.cancel() }
}
