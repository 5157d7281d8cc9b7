import Captures
import JSON

/// The error of an answer of success that has no tokens, where it stands inside of another member or in words of the server's own.
///
/// Gateways and frameworks answer so: `{"data":{"error":"invalid_grant"}}`, `{"errors":[{"message":"…"}]}`,
/// `{"success":false,"message":"…"}`, `{"statusCode":400,"body":"{…}"}`.
enum WrappedError {
    /// Nil where there are tokens, or nothing that is an error beyond doubt.
    static func find(in object: JSONObject, of exchange: Int) -> ErrorResponse? {
        guard !tokens.contains(where: { object[$0] != nil }), !object.members.contains(where: holdsTokens)
        else {
            return nil
        }
        return inside(of: object, exchange) ?? denied(object, exchange) ?? numbered(object, exchange)
    }

    private static let tokens = ["access_token", "id_token", "refresh_token", "authed_user", "device_code"]

    private static func holdsTokens(_ member: JSONObject.Member) -> Bool {
        content(of: member.value).map { inner in tokens.contains { inner[$0] != nil } } ?? false
    }

    /// An object, also one that is written as a text.
    private static func content(of value: JSONValue) -> JSONObject? {
        if let object = value.object { return object }
        guard let text = value.string, text.utf8.first == 0x7b, text.utf8.count < 1 << 16 else { return nil }
        return (try? JSONParser.parse(Array(text.utf8)))?.object
    }

    /// In a member of any name that has an `error`, in a list of errors, or in an object that is one.
    private static func inside(of object: JSONObject, _ exchange: Int) -> ErrorResponse? {
        for member in object.members.prefix(mostMembers) {
            let place = Place(exchange: exchange, part: .responseBody, name: member.name)
            if let inner = content(of: member.value) {
                if let error = inner["error"]?.string, !error.isEmpty {
                    return ErrorResponse(
                        error: error,
                        description: words(of: inner, besides: "error"),
                        place: place
                    )
                }
                if ["error", "fault", "exception"].contains(member.name.lowercased()),
                    let error = named(inner, place)
                {
                    return error
                }
            } else if member.name.lowercased() == "errors", let first = member.value.array?.first {
                if let error = first.string.map({ ErrorResponse(error: $0, place: place) })
                    ?? first.object.flatMap({ named($0, place) })
                {
                    return error
                }
            }
        }
        return nil
    }

    /// `{"success":false,"message":"…"}` and its like.
    private static func denied(_ object: JSONObject, _ exchange: Int) -> ErrorResponse? {
        guard
            let flag = object.members.first(where: { member in
                guard ["success", "ok", "issuccess", "succeeded"].contains(member.name.lowercased()) else {
                    return false
                }
                return member.value == .bool(false)
            })
        else { return nil }
        let place = Place(exchange: exchange, part: .responseBody, name: flag.name)
        return named(object, place) ?? ErrorResponse(error: "\(flag.name): false", place: place)
    }

    /// A number or a name that is none of success, with words beside it.
    private static func numbered(_ object: JSONObject, _ exchange: Int) -> ErrorResponse? {
        for member in object.members.prefix(mostMembers)
        where ["code", "status", "statuscode", "status_code"].contains(member.name.lowercased()) {
            guard let number = member.value.double ?? member.value.string.flatMap({ Double($0) }),
                number != 0, !(200..<300).contains(number), number != 1
            else { continue }
            return words(of: object, besides: member.name).map {
                ErrorResponse(
                    error: JSONWriter.text(of: member.value).filter { $0 != "\"" },
                    description: $0,
                    place: Place(exchange: exchange, part: .responseBody, name: member.name)
                )
            }
        }
        return nil
    }

    /// What an object of an error names it, with its words.
    private static func named(_ object: JSONObject, _ place: Place) -> ErrorResponse? {
        let names = ["code", "errorCode", "error_code", "type", "status"]
        let name = names.lazy.compactMap { object[$0] }.compactMap { value -> String? in
            value.string ?? value.double.map { _ in JSONWriter.text(of: value) }
        }.first { !$0.isEmpty }
        let words = words(of: object, besides: "")
        guard let error = name ?? words else { return nil }
        return ErrorResponse(error: error, description: name == nil ? nil : words, place: place)
    }

    /// What an object says of its error in words; those that say `name` are not asked, be it a member's name or its value.
    static func words(of object: JSONObject, besides name: String) -> String? {
        [
            "error_description", "message", "msg", "description", "detail", "title", "reason", "faultstring",
            "error_message", "errorMessage", "errorSummary", "errmsg", "body",
        ]
        .lazy.filter { $0 != name }.compactMap { object[$0]?.string }.first { !$0.isEmpty && $0 != name }
    }

    private static let mostMembers = 50
}
