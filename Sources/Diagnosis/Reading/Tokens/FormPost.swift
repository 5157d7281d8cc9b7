import Captures
import Flows
import OAuth

/// The POST of a form, which a token request has to be (RFC 6749, section 4.1.3).
enum FormPost {
    /// What makes a request none that is the POST of a form.
    static func faults(of recorded: RecordedRequest, _ exchange: Int) -> [Evidence] {
        // As Naver has it in its documentation.
        guard recorded.method == "POST" || recorded.url.host == "nid.naver.com" else {
            return [
                Evidence(
                    place: Place(exchange: exchange, part: .requestURL, name: ""),
                    value: "\(recorded.method) \(Masking.shown(recorded.url.withoutQuery, of: "url"))",
                    note: "has to be POST"
                )
            ]
        }
        guard !GoTrueRequest.isOne(recorded), !OtherNames.areOfJSON(at: recorded.url) else { return [] }
        guard let type = type(of: recorded), !type.isEmpty, let essence = essence(of: recorded) else {
            return []
        }
        let start = recorded.body?.bytes?.first { $0 > 0x20 }
        let isObjectsName = FormBody.isObjectsName(recorded.body)
        guard essence != FormBody.mediaType || start == 0x7b || isObjectsName else { return [] }
        let body: String =
            switch (essence, start) {
            case _ where isObjectsName: "an object's name, as JavaScript writes it: [object …]"
            case (MultipartForm.mediaType, _): "multipart"
            case (_, 0x7b): "an object of JSON"
            case (_, nil): "empty or not saved"
            default: "of another kind"
            }
        return [
            Evidence(
                place: Place(exchange: exchange, part: .requestHeader, name: "Content-Type"),
                value: Masking.shown(type, of: "content-type"),
                note: essence == FormBody.mediaType
                    ? "but the body is none" : "has to be \(FormBody.mediaType)"
            ),
            Evidence(place: Place(exchange: exchange, part: .requestBody, name: ""), value: body),
        ]
    }

    /// What makes a POST none of a form where it says nothing of what its body is, and the endpoint misses that, or what stands in it.
    ///
    /// The header alone may have been left out of the capture.
    static func untold(by recorded: RecordedRequest, _ exchange: Int, _ answer: Answer) -> [Evidence] {
        guard recorded.method == "POST", !recorded.headers.fields.isEmpty, (type(of: recorded) ?? "").isEmpty,
            recorded.body?.hasBytes ?? false,
            answer.status == 415 || missed.contains(where: answer.errorText.containsBytes)
        else { return [] }
        return [
            Evidence(
                place: Place(exchange: exchange, part: .requestHeader, name: "Content-Type"),
                value: "missing",
                note: "has to be \(FormBody.mediaType)"
            )
        ]
    }

    /// In lower case: the type itself, and the one parameter that every token request has.
    private static let missed = [
        "content-type", "content type", "media type", "grant_type", "grant type",
    ]

    private static func type(of recorded: RecordedRequest) -> String? {
        recorded.headers.first("content-type") ?? recorded.body?.mediaType
    }

    /// The media type that a request names, without its parameters, in lower case.
    static func essence(of recorded: RecordedRequest) -> String? {
        type(of: recorded).map { type in
            String(decoding: type.utf8.prefix { $0 != 0x3b }.filter { $0 != 0x20 }, as: UTF8.self)
                .lowercased()
        }
    }
}
