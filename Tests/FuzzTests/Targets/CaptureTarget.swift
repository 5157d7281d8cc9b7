@testable import Captures
import Foundation
import JSON

/// Capture files: anyone's for reading, ours for going on in them.
enum CaptureTarget {
    static func read(_ input: [UInt8]) throws(FuzzFinding) {
        try scannerAgrees(input)
        let tree = try? JSONParser.parse(input)
        let capture: Capture
        do { capture = try CaptureReader.read(bytes: input, name: "capture") } catch {
            if let log = tree?["log"], let entries = log["entries"]?.array,
                tree?.object?.duplicateNames == [],
                log.object?.duplicateNames == []
            {
                let isHAR = entries.allSatisfy { $0.object != nil }
                try require(!isHAR, "a HAR file is refused: \(error)")
            }
            return
        }
        for index in capture.indices {
            _ = capture.line(ofEntry: index)
            guard let text = capture.text(ofEntry: index), let entry = try? JSONParser.parse(text) else {
                throw FuzzFinding("entry \(index) is not where it was")
            }
            try require(entry.object != nil, "entry \(index) is no object")
            look(at: capture[index])
        }
        _ = capture.redaction
        try RoundTrip.isStable(capture)
    }

    /// Decodes what is decoded when it is asked for.
    private static func look(at exchange: Exchange) {
        let request = exchange.request
        _ = (
            request.cookies, request.url.queryItems, request.url.origin, request.body?.bytes, exchange.endedAt
        )
        _ = (FormBody.items(of: request.body), MultipartForm.items(of: request.body))
        _ = (exchange.response?.setCookies, exchange.response?.location, exchange.response?.body?.isPage)
    }

    private static func scannerAgrees(_ input: [UInt8]) throws(FuzzFinding) {
        let whole = scanned([input[...]])
        for cut in Pieces.cuts(of: input) {
            let other = scanned(cut)
            try require(other == whole, "in windows: \(other) instead of \(whole)")
        }
    }

    private static func scanned(_ windows: [ArraySlice<UInt8>]) -> [String] {
        var scanner = EntryScanner()
        var found: [String] = []
        do {
            for window in windows {
                try window.withUnsafeBufferPointer {
                    try scanner.scan($0, at: window.startIndex) {
                        found.append(
                            "\($0.kind) at \($0.offset): \(String(decoding: $0.bytes, as: UTF8.self))"
                        )
                    }
                }
            }
            found.append("\(scanner.ending), \(scanner.entryCount) up to \(scanner.endOfLastEntry)")
        } catch {
            found.append("\(error)")
        }
        return found
    }

    // MARK: - Going on

    private static let path = FileManager.default.temporaryDirectory
        .appending(path: "authreel-fuzz-\(ProcessInfo.processInfo.processIdentifier).har").path

    /// What is written behind the entries of a torn file.
    private static let next = Exchange(
        startedAt: Timestamp(seconds: 1_780_000_000),
        duration: .milliseconds(20),
        request: RecordedRequest(method: "GET", url: RecordedURL("https://rp.example/next")),
        response: RecordedResponse(status: 204)
    )

    static func recover(_ input: [UInt8]) throws(FuzzFinding) {
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            try Data(input).write(to: URL(filePath: path))
            let before = try? CaptureReader.read(path: path)
            let entries = before.map { capture in capture.indices.map { capture.text(ofEntry: $0) } } ?? []
            let mending: CaptureWriter.Mending
            do throws(CaptureError) {
                let writer = try CaptureWriter(path: path, version: "0")
                mending = writer.mending
                try writer.append([next])
            } catch {
                switch error {
                case .notOurs, .notHAR: break
                default: throw FuzzFinding("\(error)")
                }
                let now = try Data(contentsOf: URL(filePath: path))
                try require(Array(now) == input, "a file that is not continued was changed")
                return
            }
            try require(
                mending.entries == entries.count,
                "\(mending.entries) of \(entries.count) entries are kept"
            )
            let after = try CaptureReader.read(path: path)
            // What is wrong within an entry that is whole is not for mending.
            let known = Set((before?.losses ?? []).map(\.what))
            let lost = after.losses.filter { !known.contains($0.what) }
            try require(lost.isEmpty, "after mending: \(lost)")
            try require(after.count == entries.count + 1, "\(after.count) entries after mending")
            for (index, entry) in entries.enumerated() {
                try require(
                    after.text(ofEntry: index) == entry,
                    "entry \(index) is another one after mending"
                )
            }
        } catch let finding as FuzzFinding {
            throw finding
        } catch {
            throw FuzzFinding("\(error)")
        }
    }
}
