import JSON

/// Walks over the events of a log in JSON, one at a time: a list in an object, a list, or one behind the other.
struct JSONEvents {
    private var reader: LenientReader
    /// What ended the walk too early.
    private(set) var loss: Capture.Loss?

    /// Where an event stands.
    struct Place: Sendable {
        var offset: Int
    }

    init(_ source: CaptureSource) {
        reader = LenientReader(source)
    }

    /// Visits every object that stands by itself or in a list, however lists are nested.
    mutating func run(_ visit: (JSONValue, Place) -> Bool) {
        var depth = 0
        walk(&depth, visit)
    }

    /// Visits the elements of one member of the outermost object, and hands another, which stands before it, to `member`.
    ///
    /// `container`: the member of the outermost object in which the list stands; nil where it stands in that itself.
    mutating func run(
        list name: String,
        in container: String? = nil,
        behind other: String,
        member: (JSONValue) -> Bool,
        _ visit: (JSONValue, Place) -> Bool
    ) {
        do throws(LenientReader.Problem) {
            reader.skipSpace()
            guard reader.peek() == UInt8(ascii: "{") else { return }
            reader.advance()
            var isInside = container == nil
            while true {
                reader.skipSpace()
                guard let byte = reader.peek() else { throw reader.problem("}", isEnd: true) }
                if byte == UInt8(ascii: ",") {
                    reader.advance()
                    continue
                }
                if byte == UInt8(ascii: "}") { return }
                var text: [UInt8] = []
                try reader.name(byte, &text, true)
                reader.skipSpace()
                let found = (try? JSONParser.parse(text.dropLast()))?.string
                if !isInside, found == container, reader.peek() == UInt8(ascii: "{") {
                    reader.advance()
                    isInside = true
                    continue
                }
                if isInside, found == name, reader.peek() == UInt8(ascii: "[") {
                    reader.advance()
                    var depth = 1
                    walk(&depth, visit)
                    guard loss == nil else { return }
                } else {
                    var json: [UInt8] = []
                    try reader.value(into: &json, keep: found == other)
                    guard found == other else { continue }
                    guard let value = try? JSONParser.parse(json), member(value) else { return }
                }
            }
        } catch {
            tell(error)
        }
    }

    /// The event that stands at a place.
    static func event(at place: Place, in source: CaptureSource) -> JSONValue? {
        var reader = LenientReader(source, at: place.offset)
        return try? reader.value()
    }

    /// `depth`: of lists that are open; ends behind the one that was open at the beginning.
    private mutating func walk(_ depth: inout Int, _ visit: (JSONValue, Place) -> Bool) {
        let isInList = depth > 0
        do throws(LenientReader.Problem) {
            while true {
                reader.skipSpace()
                guard let byte = reader.peek() else {
                    if depth > 0 { throw reader.problem("]", isEnd: true) }
                    return
                }
                switch byte {
                case UInt8(ascii: ","), 0x1e: reader.advance()
                case UInt8(ascii: "["):
                    guard depth < 16 else { throw reader.problem("an event") }
                    depth += 1
                    reader.advance()
                case UInt8(ascii: "]"):
                    guard depth > 0 else { throw reader.problem("an event") }
                    depth -= 1
                    reader.advance()
                    if isInList, depth == 0 { return }
                default:
                    let place = Place(offset: reader.position)
                    var json: [UInt8] = []
                    try reader.value(into: &json)
                    if let value = try? JSONParser.parse(json), value.object != nil, !visit(value, place) {
                        return
                    }
                }
            }
        } catch {
            tell(error)
        }
    }

    private mutating func tell(_ problem: LenientReader.Problem) {
        loss = Capture.Loss(
            offset: problem.offset,
            line: problem.line,
            what: problem.isEnd
                ? "the log breaks off here; what stands before is read"
                : "the log is damaged here (expected \(problem.expected)); what follows is not read",
            isEnd: true
        )
    }
}
