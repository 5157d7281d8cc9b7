/// A form as two recorders of it agree on it: it may stand as text or as parameters.
struct BodyFields {
    let text: String
    let items: QueryItems
    let isOneTime: Bool

    /// Nil for what is no form, is not there, was cut short, or would have to be read from the file.
    init?(_ body: Body?) {
        guard let body, !body.isTruncated else { return nil }
        let fields: [HeaderFields.Field]
        switch body.content {
        case .missing, .deferred, .spooled: return nil
        case .parameters(let parameters): fields = parameters
        case .bytes(let bytes):
            guard !bytes.isEmpty, body.essence == FormBody.mediaType else { return nil }
            fields = QueryItems(String(decoding: bytes, as: UTF8.self)).items.map {
                HeaderFields.Field(name: $0.name, value: $0.value)
            }
        }
        text = fields.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        items = QueryItems(items: fields.map { .init(name: $0.name, value: $0.value, rawValue: $0.value) })
        isOneTime = fields.contains { OneTimeValue.isOne($0.value, under: $0.name) }
    }
}
