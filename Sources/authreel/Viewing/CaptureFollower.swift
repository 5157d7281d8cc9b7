import Captures
import Foundation
import Reports

/// Looks again at captures that grow while they are looked at.
struct CaptureFollower {
    /// Paths of files, in the order of the shelf; nil for what is no file.
    let paths: [String?]
    let shelf: ViewerShelf

    private struct State: Equatable {
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    /// Until cancelled.
    func run() async {
        var states = paths.map(Self.state)
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(400))
            for (index, path) in paths.enumerated() {
                guard let path, let state = Self.state(path), state != states[index] else { continue }
                states[index] = state
                // What is being written, or is gone, is looked at the next time.
                guard let capture = try? CaptureReader.read(path: path) else { continue }
                shelf.replace(index, with: ViewerCapture(ReportBuilder.report(on: capture, named: path)))
            }
        }
    }

    private static func state(_ path: String?) -> State? {
        var status = stat()
        guard let path, stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return State(size: Int64(status.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }
}
