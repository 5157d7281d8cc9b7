import Captures
import JOSE

/// What must not be shared of a set of captures, and what may.
struct FoundSecrets {
    /// Texts that are secret wherever they stand.
    var values: [String: Secret.Kind] = [:]
    /// Values that are secret under their name, and may be a common word elsewhere.
    var named: [NamedValue: Secret.Kind] = [:]
    /// Words, identifiers and addresses that everybody may know.
    var open: Set<String> = []
    /// Of those the ones that are public for sure.
    var wellKnown: Set<String> = []
    /// Of the open ones those that are no sentence and no link: they name nobody.
    var vocabulary: Set<String> = []
    /// Of the well-known those that a name says to be a client, an issuer, an address of theirs or a scope.
    var namedIdentifiers: Set<String> = []
    /// Those of the well-known that look like another value in the middle of a text, as they look there.
    var wellKnownRuns: Set<String> = []
    /// Names of parameters, headers, members that are long enough to be met inside of a value.
    var words: Set<String> = []
    /// All of them, in small letters.
    var names: Set<String> = []
    /// Keys that one-time codes are made with, in base32.
    var oneTimeKeys: Set<String> = []
    /// Phone numbers.
    var phones: Set<String> = []
    /// Names of people and of their accounts, as claims and forms have them.
    var people: Set<String> = []
    /// Numbers of accounts that are too short to be told from others but by what stands before them, as they are named.
    var accountIDs: Set<NamedValue> = []
    /// Whose folders are named in paths of files.
    var homes: Set<String> = []
    /// Values that have names: one may be another that was changed on its way.
    var relatives: Set<String> = []
    /// What requests are called in logs, and what of that looks drawn: nobody's secret where nothing else says that it is one.
    var traces: Set<String> = []
    /// Certificates of keys, in base64: everybody may know them, and parts of them look drawn.
    var certificates: Set<String> = []
    /// Values that somebody wants to stay.
    var kept: Set<String> = []
    /// Names under which values are to stay, of those that stand anywhere.
    var keptNames: Set<String> = []
    /// Hosts that the captures' requests went to, in lower case.
    var hosts: Set<String> = []
    /// Clients, issuers and redirect addresses.
    var identifiers: Set<String> = []
    /// Signed and encrypted tokens, with what they are.
    var tokens: [String: Secret.Kind] = [:]
    /// Tokens as they stand somewhere with white space in them, a line break after so many characters.
    var wrapped: [String: String] = [:]
    /// Tokens that were cut off, or of which the signature is missing: what they say is looked at by itself.
    var torn: Set<String> = []
    /// Keys as they stand in key sets, registrations and headers of tokens, by thumbprint.
    var keys: [String: JSONWebKey] = [:]
    /// What is inside of encrypted tokens that a key of the captures opens.
    var opened: [String: OpenedToken] = [:]
    var clientSecrets: Set<String> = []
    /// Whom the tokens name by which clients say who they are (RFC 7523, section 3): a client.
    var clientSubjects: Set<String> = []
    var verifiers: Set<String> = []
    var nonces: Set<String> = []
    /// Values of `code_challenge` and of the claims that are hashes.
    var derived: Set<String> = []
    /// Parts of a cookie that is too long for one, by the name without its number.
    var chunks: [String: [Int: String]] = [:]

    /// Texts that somebody asked for, by the ordinal of the pattern.
    var asked: [Int: Set<String>] = [:]
    /// Passwords and secrets that are short, or look like a word, and stand for nothing else.
    var known: Set<String> = []
    /// Of ``accountIDs`` those that are nothing else.
    var accountNumbers: Set<String> = []
    /// Names of accounts that are words for something else, and of those that a path names.
    var accountWords: Set<String> = []

    /// What is replaced wherever it stands, however short it is.
    var sureWords: SureWords {
        SureWords(
            asked: values.filter { $0.value == .asked }.keys.sorted(),
            known: known.sorted(),
            accounts: accountNumbers.sorted(),
            segments: accountWords.sorted()
        )
    }

    /// The words of people's names that mean nothing else in these captures.
    var personNames: PersonNames {
        let taken = wordsInSmallLetters.union(spokenWords)
        return PersonNames(people.sorted()) { taken.contains($0) }
    }

    /// One-time codes that are replaced wherever they stand, and keys of such.
    var groupedCodes: GroupedCodes {
        let codes = named.filter { $0.value == .oneTimeCode && known.contains($0.key.value) }.map(\.key.value)
        return GroupedCodes(oneTimeKeys.filter { values[$0] != nil }.sorted() + Set(codes).sorted())
    }

    var phoneNumbers: PhoneNumbers { PhoneNumbers(phones.sorted()) }

    /// Where somebody's mail may go: the hosts, and what they are below.
    var domains: Set<String> {
        hosts.reduce(into: []) { domains, host in
            let labels = host.split(separator: ".")
            for first in labels.indices.dropLast() { domains.insert(labels[first...].joined(separator: ".")) }
        }
    }

    func kind(of text: String) -> Secret.Kind? {
        tokens[text] ?? values[text] ?? (torn.contains(text) ? .token : nil)
            ?? wrapped[text].flatMap { tokens[$0] ?? values[$0] }
    }
}
