package import Captures
import JOSE
package import JSON

/// The answer of an endpoint that speaks JSON, whatever it was.
package struct Answer: Sendable {
    /// Which exchange's it is.
    package var exchange: Int
    /// Nil where there was none.
    package var status: Int?
    /// The members of a JSON object, or of a form where the server wrote one (GitHub).
    package var parameters: Parameters
    /// The whole object, for nested values; nil where the body is none or not recorded.
    package var json: JSONObject?
    /// Why there was no answer, in the recorder's words.
    package var failure: String?
    /// Whether a body was saved (an empty one counts).
    package var isBodyRecorded: Bool
    /// Whether it was saved to its end, in clear.
    package var isBodyWhole: Bool
    /// Whether the server, or the client, ended it before its end: the client got no more of it than was saved.
    package var isBrokenOff: Bool
    /// Whether it is the capture's doing that it is not there, or not whole: see `Exchange/isAnswerUnseen`; or that the
    /// recorder kept less of it than came.
    package var isUnseen: Bool
    /// The error of an answer that says success and has it inside of another member, or in words of the server's own, or of a refusal that has
    /// a name of the specifications somewhere else; of the token endpoint alone, whose answers without tokens are none of success.
    package private(set) var wrappedError: ErrorResponse?

    /// Reads the answer of an exchange; `index`: the exchange's number in the capture.
    package init(of exchange: Exchange, at index: Int) {
        self.exchange = index
        status = exchange.response?.status
        failure = exchange.failure
        let body = exchange.response?.body
        isBodyRecorded = body?.isRecorded ?? false
        isBodyWhole = Answer.isWhole(exchange.response)
        isBrokenOff = exchange.isBrokenOff
        isUnseen = exchange.isAnswerUnseen || exchange.failure == nil && Answer.isCut(body)
        json = body?.bytes.flatMap { Answer.object($0) } ?? Answer.refusal(signed: exchange.response)
        if let json {
            parameters = OtherNames.standard(
                Parameters(json, of: index, in: .responseBody),
                at: exchange.request.url
            )
        } else if body?.essence == FormBody.mediaType, let items = FormBody.items(of: body) {
            parameters = Parameters(items, of: index, in: .responseBody)
        } else {
            parameters = Parameters()
        }
    }

    /// An empty body counts only where the server said that it is: some recorders write one where they have
    /// none.
    private static func isWhole(_ response: RecordedResponse?) -> Bool {
        guard let response, let body = response.body, !body.isTruncated, body.remainingCoding == nil
        else { return false }
        if body.hasBytes { return true }
        return body.bytes != nil
            && (response.status == 204 || response.headers.first("content-length") == "0")
    }

    /// Whether the recorder kept the beginning alone, or what it could not decode; of a page that is enough to know that it is one.
    private static func isCut(_ body: Body?) -> Bool {
        guard let body else { return false }
        return (body.isTruncated || body.remainingCoding != nil) && !body.isPage
    }

    private static func object(_ bytes: [UInt8]) -> JSONObject? {
        // A page is no JSON: said by its first byte, without reading a megabyte of it.
        guard let first = bytes.first(where: { $0 > 0x20 && $0 != 0xef && $0 != 0xbb && $0 != 0xbf }),
            first == 0x7b
        else { return nil }
        return (try? JSONParser.parse(bytes.drop { $0 != 0x7b }))?.object
    }

    /// The claims of a refusal that comes as a signed token, as UserInfo of Singpass answers.
    private static func refusal(signed response: RecordedResponse?) -> JSONObject? {
        guard let response, response.status >= 400, response.body?.essence == "application/jwt",
            let text = response.body?.text
        else { return nil }
        return JSONWebToken.parse(text.filter { !$0.isWhitespace })?.claims
    }

    /// The error that it names, at whatever status; nil where it names none.
    package var error: ErrorResponse? {
        let stated =
            deniesError ? Parameters(parameters.items.filter { $0.name != "error" }) : parameters
        return ErrorResponse(stated) ?? wrappedError
    }

    /// Whether it says success by its status, and by `"error": false` or `0`, as some frameworks write beside one.
    private var deniesError: Bool {
        guard let status, (200..<300).contains(status) else { return false }
        return switch json?["error"] {
        case .bool(let isError): !isError
        case .number?: json?["error"]?.double == 0
        default: false
        }
    }

    /// The answer of a token endpoint.
    package static func ofTokenEndpoint(_ exchange: Exchange, at index: Int) -> Answer {
        var answer = Answer(of: exchange, at: index)
        if let response = exchange.response, response.status >= 400, answer.error == nil {
            answer.wrappedError = TokenErrorName.find(in: response, answer.json, of: index)
            return answer
        }
        guard let status = answer.status, (200..<300).contains(status), let json = answer.json else {
            return answer
        }
        answer.wrappedError = WrappedError.find(in: json, of: index)
        return answer
    }

    /// 2xx without an OAuth error in it.
    package var isSuccess: Bool { (status.map { (200..<300).contains($0) } ?? false) && error == nil }

    /// Answered, and not with success.
    package var isRefusal: Bool { status != nil && !isSuccess }

    /// Whether it may have been a success with more in it than the capture has: it was saved without its body, or not whole, or not at all.
    package var isUnsaved: Bool {
        guard !isRefusal, json == nil, parameters.isEmpty else { return false }
        return status == nil ? isUnseen : !isBodyWhole && !isBrokenOff
    }

    /// The place of a member.
    package func place(_ name: String) -> Place { Place(exchange: exchange, part: .responseBody, name: name) }

    /// The place of the status line.
    package var statusPlace: Place { Place(exchange: exchange, part: .responseStatus, name: "") }
}
