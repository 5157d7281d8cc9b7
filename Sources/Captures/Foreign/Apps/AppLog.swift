/// What a tool in an app prints of the app's calls, line by line, into a log that others print into as well.
protocol AppLog {
    /// Whose log it is: `log.creator` of what is read.
    static var creator: String { get }
    /// Without each of them it is none.
    static var marks: [[UInt8]] { get }

    /// The calls that were read so far.
    var calls: [AppCall] { get }

    init()

    mutating func take(_ line: AppLogLine)

    /// Keeps what no line has ended: no more follows.
    mutating func close()
}

extension AppLog {
    mutating func close() {}

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard marks.allSatisfy({ ByteSearch.index(of: $0, in: text.bytes) != nil }) else { return nil }
        var log = Self()
        text.forEachLine { log.take(AppLogLine($0)) }
        log.close()
        let exchanges = log.calls.compactMap(\.exchange)
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: creator)
    }
}
