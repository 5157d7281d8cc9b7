package import Foundation

/// Where the files that tests read are, found from this file's own place.
package enum Fixtures {
    /// The root of the checkout.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The bytes of a file below the root of the checkout, for example `captures/healthy/code-flow.har`.
    package static func bytes(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: root.appending(path: path)))
    }
}
