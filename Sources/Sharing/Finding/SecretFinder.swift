import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Looks through captures for what must not be shared: by the name under which a value stands, by the links of the
/// flows, and by its look.
final class SecretFinder {
    /// What is asked for besides, and what is to stay.
    let options: SharingOptions
    var found = FoundSecrets()
    let look: LookScanner
    /// Texts that were read before; what a text tells does not depend on when.
    private var known = Recall<Void>()
    let patterns: [Regex<AnyRegexOutput>]
    var roles = KnownRoles()
    private let memory: SlotMemory?

    init(options: SharingOptions, memory: SlotMemory? = nil) {
        self.options = options
        self.memory = memory
        patterns = options.alsoPatterns
        look = LookScanner(findsPersonal: !options.keepsPersonal)
    }

    /// Reads an entry, or another part of the file.
    ///
    /// `name`: of the log's member; empty for an entry.
    func read(_ value: JSONValue, called name: String = "", holdsClaims: Bool = false) {
        let walker = EntryWalker(
            texts: TextWalker(memory: memory) { [unowned self] in visit($0) },
            holdsClaims: holdsClaims,
            isOfClient: EntrySubject.authenticatesClient(value),
            isSignIn: EntrySubject.signsIn(value),
            sweep: { [unowned self] text in
                sweep(text)
                return nil
            },
            recall: { [unowned self] key, work in
                guard known[key] == nil else { return nil }
                known.remember((), of: key)
                return work()
            }
        )
        _ = walker.rewriting(value, name: name)
    }

    /// Takes note of where a request went.
    func read(_ url: RecordedURL) {
        guard let host = url.host else { return }
        found.hosts.insert(host.lowercased())
    }

    /// Reads what the flows say of values that go from place to place.
    func read(_ flows: [Flow]) {
        for flow in flows {
            for link in flow.links {
                let role = SecretRoles.role(of: link.name, in: .form)
                let kind: Secret.Kind
                switch role {
                case .secret(let known), .drawn(let known): kind = known
                case .open, .parts: continue
                case .unknown: kind = .unexplained
                }
                for occurrence in [link.origin] + link.uses
                where link.transform == .equal && !isOpen(occurrence.place.name) {
                    note(kind, occurrence.place.name, occurrence.value)
                }
            }
            let redirects = flow.authorizationRequests.map(\.redirectURI)
            for identifier in [flow.clientID, flow.issuer] + redirects {
                guard let identifier, !identifier.isEmpty else { continue }
                found.open.insert(identifier)
                found.identifiers.insert(identifier)
            }
        }
    }

    /// Reads what was typed into fields that their pages have for passwords.
    func readPasswords(of capture: Capture) {
        for (name, value) in TypedPasswords.all(in: capture)
        where !options.keptNames.contains(name) && !isMark(value) {
            note(.password, name, value)
        }
    }

    /// A word of the protocol that is also somebody's state stays what it is where the protocol says it.
    private func isOpen(_ name: String) -> Bool {
        switch SecretRoles.role(of: name, in: .form) {
        case .open, .parts: true
        default: false
        }
    }

    func finish() -> FoundSecrets {
        openTokens()
        // Headers that are read by their parts are named nowhere else.
        found.names.formUnion(TextKind.ofHeaders.keys)
        found.words.formUnion(TextKind.ofHeaders.keys.filter { $0.utf8.count >= FragmentIndex.shortestWord })
        found.settle()
        return found
    }

    // MARK: - Values

    func visit(_ value: NamedText) -> [UInt8]? {
        let text = value.readable
        let isKept = options.keptNames.contains(value.name)
        if isKept { found.keptNames.insert(value.name) }
        guard !text.isEmpty else { return nil }
        guard !isKept else {
            keep(text)
            return value.bytes
        }
        guard !isMark(text) else { return value.bytes }
        if value.container == .claims || value.isOfPerson { readAccount(value, text) }
        if value.name == SlotReader.accountSegment { noteID(value.name, text) }
        if value.name == SlotReader.personSegment, look.findsPersonal { found.homes.insert(text) }
        if look.findsPersonal {
            found.people.formUnion(
                OriginOwners.isOrigin(value.name)
                    ? OriginOwners.names(in: text) : OriginOwners.names(inDevice: text, under: value.name)
            )
        }
        if value.isNumber {
            number(value, text)
            return nil
        }
        if value.name.utf8.count < 64 { found.names.insert(value.name.lowercased()) }
        if value.name.utf8.count >= FragmentIndex.shortestWord, !Drawn.looks(value.name.utf8) {
            found.words.insert(value.name)
        }
        if readToken(value, text) { return value.bytes }
        judge(value, text)
        if value.container == .cookies || value.container == .setCookie { chunk(value.name, text) }
        return nil
    }

    /// Whether a value is a token, which is told what it says; wrapped in lines and torn ones are, too.
    private func readToken(_ value: NamedText, _ text: String) -> Bool {
        if readWrapped(text) { return true }
        if let parts = TornToken(text) {
            found.torn.insert(text)
            readClaims(parts.payload)
            return true
        }
        guard let token = JSONWebToken.parse(text) else { return false }
        found.relatives.insert(text)
        read(token)
        readClient(token, value.name)
        switch SecretRoles.role(of: value.name, in: value.container) {
        case .secret(let kind) where kind != .cookie, .drawn(let kind): found.tokens[text] = kind
        default: break
        }
        if value.container == .cookies || value.container == .setCookie { chunk(value.name, text) }
        return true
    }

    /// Whether a value is a token in several lines, or something drawn with a soft line break in it.
    private func readWrapped(_ text: String) -> Bool {
        guard let joined = WrappedTokens.joined(text) else { return false }
        if joined.first == "e", let token = JSONWebToken.parse(joined), token.header != nil {
            read(token)
            found.wrapped[text] = token.text
            return true
        }
        guard WrappedTokens.isSoftlyBroken(text), Drawn.isUnexplained(joined.utf8) else { return false }
        note(.unexplained, "", joined)
        found.wrapped[text] = joined
        return true
    }

    /// A token is kept with what it says: it would not be the same one otherwise.
    private func keep(_ text: String) {
        guard found.kept.insert(text).inserted, let token = JSONWebToken.parse(text), token.form == .signed
        else { return }
        let walker = TextWalker { [unowned self] value in
            keep(value.text)
            return nil
        }
        _ = walker.rewriting(token.payload, as: .claims)
    }

    /// Of `[state redacted]`, as Cloudflare's sanitizer has it.
    static let endOfMark = " redacted]"

    /// Marks that somebody left in the place of a secret are none.
    private func isMark(_ text: String) -> Bool {
        guard
            text.utf8.first.map({ [0x5b, 0x3c, 0x2a, 0x78, 0x58].contains($0) || text.utf8.count < 24 })
                ?? true
        else { return false }
        let lower = text.lowercased()
        if text.hasPrefix("["), text.hasSuffix(Self.endOfMark) {
            let name = String(text.dropFirst().dropLast(Self.endOfMark.count))
            return SecretRoles.isWord(name)
        }
        return lower.utf8.allSatisfy { $0 == 0x2a }
            || lower.utf8.count > 2 && lower.utf8.allSatisfy { $0 == 0x78 }
            || ["[redacted]", "redacted", "<redacted>", "[filtered]", "[removed]", "(redacted)"].contains(
                lower
            )
    }

    private func chunk(_ name: String, _ text: String) {
        guard let mark = name.utf8.lastIndex(where: { !$0.isASCIIDigit }),
            name.utf8.index(after: mark) < name.utf8.endIndex,
            let number = Int(name[name.utf8.index(after: mark)...]), number < 32
        else { return }
        found.chunks[String(name[...mark]), default: [:]][number] = text
    }
}
