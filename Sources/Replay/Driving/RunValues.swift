/// What stands in a new run for the values of the recording: `state` made anew, the code of the new answer.
///
/// A value is found in every spelling in which it may travel: as it is, percent-encoded (once and twice, for
/// a URL inside a URL), decoded once too often, in base64url; and inside longer texts where it is long enough
/// to be nobody else's, but not inside of a token: its signature would not be of what it says then.
package struct RunValues: Sendable {
    /// Recorded text to its text in this run, respellings included.
    private var exact: [String: String] = [:]
    /// Pairs that are looked for inside longer texts, by the first byte of what is looked for; longest first.
    private var inside: [UInt8: [(recorded: [UInt8], live: [UInt8])]] = [:]
    /// Shorter ones might stand for something else by accident.
    static let shortestInside = 8

    package init() {}

    /// Binds a recorded value to its value in this run.
    ///
    /// A value that is bound again is another one from now on (a refreshed token that kept its text, say).
    package mutating func bind(_ recorded: String, to live: String) {
        bind(recorded, to: live, spelled: Spelling.all(of: recorded))
    }

    /// Binds a recorded value, and those of its spellings that matter.
    mutating func bind(_ recorded: String, to live: String, spelled: [(spelling: Spelling, text: String)]) {
        guard !recorded.isEmpty else { return }
        set(recorded, live)
        for (spelling, text) in spelled { set(text, spelling(live), as: spelling) }
    }

    /// The value of this run, also of a respelling; nil where none is bound.
    package subscript(recorded: String) -> String? { exact[recorded] }

    /// A text of the recording with every bound value in it replaced.
    package func replacing(in text: String) -> String {
        if let live = exact[text] { return live }
        guard !inside.isEmpty, text.utf8.count >= Self.shortestInside else { return text }
        return replacing(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// - Returns: nil where no value is in the bytes.
    private func replacing(in bytes: [UInt8], isDecoded: Bool = false) -> [UInt8]? {
        var output: [UInt8] = []
        var position = 0
        var isChanged = false
        while position < bytes.count {
            if let pair = inside[bytes[position]]?.first(where: {
                bytes[position...].starts(with: $0.recorded)
            }) {
                output += pair.live
                position += pair.recorded.count
                isChanged = true
                continue
            }
            let run = EncodedRun(in: bytes, at: position)
            if let run, run.isToken {
                output += bytes[run.range]
                position = run.range.upperBound
            } else if !isDecoded, let run,
                let content = run.content.flatMap({ replacing(in: $0, isDecoded: true) })
            {
                output += run.spelling(content)
                position = run.range.upperBound
                isChanged = true
            } else {
                output.append(bytes[position])
                position += 1
            }
        }
        return isChanged ? output : nil
    }

    private mutating func set(_ recorded: String, _ live: String, as spelling: Spelling? = nil) {
        // What a value itself is counts more than what another one becomes by recoding.
        guard spelling == nil || exact[recorded] == nil else { return }
        exact[recorded] = live
        let bytes = Array(recorded.utf8)
        // Inside of a text base64url is taken off first: three bytes share four characters.
        guard spelling != .base64URL, bytes.count >= Self.shortestInside, let first = bytes.first else {
            return
        }
        var list = inside[first, default: []].filter { $0.recorded != bytes }
        let place = list.firstIndex { $0.recorded.count < bytes.count } ?? list.count
        list.insert((bytes, Array(live.utf8)), at: place)
        inside[first] = list
    }
}
