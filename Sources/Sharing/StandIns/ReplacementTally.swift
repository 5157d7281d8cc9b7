/// What was replaced, how often and in which entries.
final class ReplacementTally {
    private let found: FoundSecrets
    /// The kind of what is secret under some name.
    private let namedKinds: [String: Secret.Kind]

    /// The entry that is written at the moment; nil for the rest of the file.
    var entry: Int?
    private(set) var uses: [Secret.Kind: Use] = [:]
    /// How often anything was counted, of whatever is reported.
    private(set) var noted = 0

    /// How often secrets of a kind were replaced.
    struct Use {
        var values: Set<String> = []
        var places = 0
        var entries: Set<Int> = []
    }

    /// What became of texts that were met before, with what was replaced in them.
    private var recalled = Recall<(text: [UInt8]?, notes: [Note])>()
    /// Bodies in which nothing was replaced.
    private var clear: Set<KnownBody> = []
    /// Taken since the first of the texts was begun that are being looked at.
    private var notes: [Note] = []
    /// How many texts inside of one another are being looked at.
    private var depth = 0

    private struct Note {
        var text: String
        var kind: Secret.Kind
    }

    init(_ found: FoundSecrets, _ namedKinds: [String: Secret.Kind]) {
        self.found = found
        self.namedKinds = namedKinds
    }

    /// From now on counts anew.
    func forget() { uses = [:] }

    /// Does a work on a text, or takes over what it came to the last time; it is counted all the same.
    func recalling(_ key: PlacedText, _ work: () -> [UInt8]?) -> [UInt8]? {
        if let known = recalled[key] {
            for note in known.notes { self.note(note.text, note.kind) }
            return known.text
        }
        let start = notes.count
        depth += 1
        let text = work()
        depth -= 1
        recalled.remember((text, Array(notes[start...])), of: key)
        if depth == 0 { notes = [] }
        return text
    }

    /// Does a work on a body, unless the same came to nothing before; what was counted is counted each time.
    func recalling(_ body: KnownBody, _ work: () -> [UInt8]?) -> [UInt8]? {
        guard !clear.contains(body) else { return nil }
        let before = noted
        let other = work()
        if other == nil, noted == before { clear.insert(body) }
        return other
    }

    /// `name`: under which it stood; nil where none says anything.
    func note(_ text: String, named name: String? = nil) {
        let named = name.flatMap { found.named[NamedValue($0, text)] }
        guard let kind = named ?? found.kind(of: text) else { return }
        note(text, kind)
    }

    /// `name`: a word of somebody's name.
    func note(name: String) { note(name, .personal) }

    /// A text that is replaced wherever it stands.
    func note(word text: String) {
        guard let kind = found.kind(of: text) ?? namedKinds[text] else { return }
        note(text, kind)
    }

    private func note(_ text: String, _ kind: Secret.Kind) {
        noted += 1
        uses[kind, default: Use()].values.insert(text)
        uses[kind, default: Use()].places += 1
        if depth > 0 { notes.append(Note(text: text, kind: kind)) }
        if let entry { uses[kind, default: Use()].entries.insert(entry) }
    }
}
