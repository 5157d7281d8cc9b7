import Flows
import TestSupport

extension FlowFinder {
    /// The flows of a capture that is built for it.
    static func flows(_ build: (inout CaptureBuilder) -> Void) -> [Flow] {
        var capture = CaptureBuilder()
        build(&capture)
        return flows(in: capture.capture)
    }
}
