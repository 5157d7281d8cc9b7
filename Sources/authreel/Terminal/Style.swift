import Foundation
import Reports

/// Colour for terminals, and only there; `NO_COLOR` (any value but an empty one) and `TERM=dumb` turn it off.
enum Style {
    static func forDescriptor(_ descriptor: Int32) -> TextStyle {
        let environment = ProcessInfo.processInfo.environment
        let wanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return isatty(descriptor) == 1 && wanted ? .colour : .plain
    }
}
