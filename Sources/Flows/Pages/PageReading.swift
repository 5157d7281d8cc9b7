package import Captures
import Synchronization

/// What is read out of a page for all that ask: its forms, the heading by which it tells of an error, and which words are
/// somewhere in it.
package struct PageReading: Sendable {
    /// Words of refusals: a page that has none of them need not be read again to see whether it is one.
    package enum Keyword: Int, CaseIterable {
        case redirect
        case callback
        case reply
        case returnURL
        /// Before the number of an error of Entra.
        case entra
        /// Before the number of an error of Azure AD B2C.
        case entraB2C
        case denied
        case unknownClient
        /// Before the number of a message of LemonLDAP::NG.
        case numberedMessage
        /// Kakao's number for a redirect URI that is not registered.
        case kakaoRedirect
        /// FranceConnect's number for the same.
        case franceConnectRedirect
        /// Google's word for a way to be answered that it takes no more.
        case blockedFlow
        /// Facebook's words for a redirect URI that is not registered.
        case unlistedDomain

        fileprivate var text: StaticString {
            switch self {
            case .redirect: "redirect"
            case .callback: "callback"
            case .reply: "reply "
            case .returnURL: "return url"
            case .entra: "aadsts"
            case .entraB2C: "aadb2c"
            case .denied: "request has been denied"
            case .unknownClient: "(client_id) is missing or invalid"
            case .numberedMessage: NumberedMessage.attribute
            case .kakaoRedirect: "koe006"
            case .franceConnectRedirect: "y030118"
            case .blockedFlow: "flow has been blocked"
            case .unlistedDomain: "domain of this url"
            }
        }
    }

    /// All of them, hidden ones included.
    package let forms: [HTMLForm]
    /// See ``ErrorHeading``.
    package let errorHeading: String?
    /// A bit of each ``Keyword``.
    private let keywords: UInt

    /// Nil where there is no page of HTML, or one of more than a megabyte, or JSON that is called one.
    init?(_ body: Body?) {
        guard let page = Self.page(body) else { return nil }
        forms = HTMLForm.all(in: page)
        keywords = Self.keywords(in: page)
        errorHeading = ErrorHeading.of(page, mayHaveNumber: Self.has(.numberedMessage, in: keywords))
    }

    /// The forms alone, for who asks once; nil where there is no page.
    static func forms(of body: Body?) -> [HTMLForm]? { page(body).map { HTMLForm.all(in: $0) } }

    private static func page(_ body: Body?) -> [UInt8]? {
        guard let body, (body.size ?? 0) < largest, body.isPage, let page = body.bytes,
            let first = page.first(where: { $0 > 0x20 }), first != 0x7b, first != 0x5b
        else { return nil }
        return page
    }

    /// Whether one of these words is in the page, in any case, be it in a script or a comment.
    package func mentions(_ words: Keyword...) -> Bool { mentions(words) }

    /// The same for a list.
    package func mentions(_ words: [Keyword]) -> Bool {
        words.contains { Self.has($0, in: keywords) }
    }

    private static func has(_ word: Keyword, in keywords: UInt) -> Bool { keywords & 1 << word.rawValue != 0 }

    /// The same of what is no page of HTML.
    package static func mentions(_ words: [Keyword], in body: [UInt8]) -> Bool {
        ASCIICase.lowercased(body).withUnsafeBufferPointer { lower in
            words.contains { ByteSearch.index(of: $0.text, in: lower) != nil }
        }
    }

    private static func keywords(in page: [UInt8]) -> UInt {
        ASCIICase.lowercased(page).withUnsafeBufferPointer { lower in
            Keyword.allCases.reduce(0) { bits, keyword in
                ByteSearch.index(of: keyword.text, in: lower) == nil ? bits : bits | 1 << keyword.rawValue
            }
        }
    }

    private static let largest = 1 << 20

    /// In bytes of text.
    fileprivate var weight: Int {
        forms.reduce(errorHeading?.utf8.count ?? 0) { sum, form in
            form.fields.reduce(sum + form.action.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        }
    }
}

/// The pages of a capture as they were read: finding flows, their links and the rules all ask for the same ones.
final class PageReadings: Sendable {
    private let known = Mutex<[Int: PageReading?]>([:])
    /// What is kept of a page; the few with more are read again.
    private static let largest = 4 << 10

    /// That of an exchange's answer, read by `read` where it is not held.
    func reading(of exchange: Int, _ read: () -> PageReading?) -> PageReading? {
        if let held = known.withLock({ $0[exchange] }) { return held }
        let reading = read()
        if reading?.weight ?? 0 <= Self.largest { known.withLock { $0[exchange] = .some(reading) } }
        return reading
    }
}

extension CaptureIndex {
    /// The page that an exchange brought; nil where it brought none.
    package func page(_ exchange: Int) -> PageReading? {
        guard capture[exchange].response?.body?.isPage ?? false else { return nil }
        return pages.reading(of: exchange) {
            PageReading(capture[exchange].response?.body)
        }
    }
}
