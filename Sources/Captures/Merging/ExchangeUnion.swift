import JSON

/// Makes one exchange of two sightings: the base, field by field where it has something, else the other.
///
/// What the other says otherwise is told in ``differences``, in the shape of an entry.
struct ExchangeUnion {
    private(set) var exchange: Exchange
    private(set) var differences = JSONObject()

    /// Bodies that differ are kept twice up to this size.
    private static let largestDifference = 64 << 10

    init(_ base: Exchange, _ other: Exchange) {
        exchange = base
        if base.response == nil, base.lacksItsAnswer, other.response != nil, !other.lacksItsAnswer {
            // That one recorder has not seen it is no failure, and no end.
            exchange.failure = nil
            exchange.duration = nil
        }
        uniteTimes(other)
        uniteRequest(other.request)
        if let answer = other.response { uniteResponse(answer) }
        uniteFailure(other, base)
        uniteFacts(other)
        uniteUnknownFields(other, base)
        unite(&exchange.foreign, other.foreign, &differences)
        uniteProvenance(other.provenance)
    }

    private mutating func uniteTimes(_ other: Exchange) {
        if exchange.startedAt != other.startedAt {
            differences["startedDateTime"] = .string(other.startedAt.rfc3339)
        }
        guard let duration = other.duration, duration != exchange.duration else { return }
        if exchange.duration == nil {
            exchange.duration = duration
        } else {
            differences["time"] = .number(Self.milliseconds(duration))
        }
    }

    private mutating func uniteRequest(_ other: RecordedRequest) {
        var request = JSONObject()
        unite(&exchange.request, other, &request)
        if !request.isEmpty { differences["request"] = .object(request) }
    }

    private mutating func uniteResponse(_ answer: RecordedResponse) {
        guard var own = exchange.response else {
            exchange.response = answer
            return
        }
        var response = JSONObject()
        // Not shared while it is changed: it would be copied.
        exchange.response = nil
        unite(&own, answer, &response)
        exchange.response = own
        if !response.isEmpty { differences["response"] = .object(response) }
    }

    /// What went wrong for the one went well for the other: both are true.
    private mutating func uniteFailure(_ other: Exchange, _ base: Exchange) {
        guard let failure = other.failure, failure != exchange.failure else { return }
        if exchange.failure == nil, base.response == nil {
            exchange.failure = failure
        } else {
            differences["_error"] = .string(failure)
        }
    }

    private mutating func uniteProvenance(_ other: Provenance) {
        var provenance = exchange.provenance
        provenance.seen += other.seen
        Self.add(other.others, to: &provenance.others)
        Self.add(other.differs, to: &provenance.differs)
        exchange.provenance = provenance
    }

    /// Members of names that are free.
    private static func add(_ other: JSONObject, to own: inout JSONObject) {
        guard !other.isEmpty else { return }
        var united = IndexedJSONObject(own)
        for member in other.members where united[member.name] == nil { united.append(member) }
        own = united.object
    }

    // MARK: - Messages

    private func unite(
        _ own: inout RecordedRequest,
        _ other: RecordedRequest,
        _ differences: inout JSONObject
    ) {
        own.url = RemovedValue.filled(own.url, from: other.url)
        if own.url.text != other.url.text { differences["url"] = .string(other.url.text) }
        unite(&own.httpVersion, other.httpVersion, "httpVersion", &differences)
        unite(&own.headers, other.headers, besides: Self.addedByProxies, &differences)
        if own.listedCookies.isEmpty { own.listedCookies = other.listedCookies }
        unite(&own.body, other.body, "postData", &differences)
        if own.trailers.fields.isEmpty { own.trailers = other.trailers }
        unite(&own.foreign, other.foreign, &differences)
    }

    private func unite(
        _ own: inout RecordedResponse,
        _ other: RecordedResponse,
        _ differences: inout JSONObject
    ) {
        unite(&own.statusText, other.statusText, "statusText", &differences)
        unite(&own.httpVersion, other.httpVersion, "httpVersion", &differences)
        unite(&own.headers, other.headers, besides: Self.ofOneConnection, &differences)
        if own.listedCookies.isEmpty { own.listedCookies = other.listedCookies }
        unite(&own.body, other.body, "content", &differences)
        own.redirectURL =
            RemovedValue.filled(own.redirectURL, of: "location", from: other.redirectURL) ?? own.redirectURL
        unite(&own.redirectURL, other.redirectURL, "redirectURL", &differences)
        if own.trailers.fields.isEmpty { own.trailers = other.trailers }
        unite(&own.foreign, other.foreign, &differences)
    }

    /// Fields of one hop (RFC 9110, section 7.6.1): the other recorder's say nothing of this one's.
    private static let ofOneConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "via",
        "content-length", "content-encoding",
    ]
    /// What a proxy tells the server of the client, which the client has not said.
    private static let addedByProxies: Set<String> = ofOneConnection.union([
        "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port",
        "x-forwarded-server", "x-forwarded-prefix", "x-forwarded-ssl", "x-original-host", "x-original-uri",
        "x-real-ip", "x-request-id", "x-amzn-trace-id", "proxy-authorization", "cf-connecting-ip", "cf-ray",
        "host",
    ])

    /// Fields of names that the base does not have at all are taken over; of others only the difference is told.
    private func unite(
        _ own: inout HeaderFields,
        _ other: HeaderFields,
        besides hop: Set<String>,
        _ differences: inout JSONObject
    ) {
        var names: [String: Set<String>] = [:]
        for field in own.fields { names[field.name.lowercased(), default: []].insert(field.value) }
        Self.fill(&own, from: other, &names)
        let isWithout = own.fields.isEmpty
        var differing: [JSONValue] = []
        for field in other.fields {
            let name = field.name.lowercased()
            if let values = names[name] {
                if values.contains(field.value) { continue }
            } else if isWithout || !hop.contains(name) {
                own.fields.append(field)
                continue
            }
            differing.append(["name": .string(field.name), "value": .string(field.value)])
        }
        if !differing.isEmpty { differences["headers"] = .array(differing) }
    }

    /// Gives fields that stand once, and of which something was taken out, the value that the other has.
    private static func fill(
        _ own: inout HeaderFields,
        from other: HeaderFields,
        _ names: inout [String: Set<String>]
    ) {
        let marked = own.fields.indices.filter { RemovedValue.isWithin(own.fields[$0].value) }
        guard !marked.isEmpty else { return }
        let places = Dictionary(grouping: own.fields.indices) { own.fields[$0].name.lowercased() }
        let others = Dictionary(grouping: other.fields) { $0.name.lowercased() }
        for index in marked {
            let name = own.fields[index].name.lowercased()
            guard places[name]?.count == 1, let fields = others[name], fields.count == 1,
                let value = RemovedValue.filled(own.fields[index].value, of: name, from: fields[0].value)
            else { continue }
            own.fields[index].value = value
            names[name] = [value, fields[0].value]
        }
    }

    // MARK: - Bodies

    private func unite(_ own: inout Body?, _ other: Body?, _ name: String, _ differences: inout JSONObject) {
        guard let other else { return }
        guard let base = own else {
            own = other
            return
        }
        guard other.isMore(than: base) else {
            let isTold = base.isMore(than: other) || !base.holdsSomething || Self.isSame(base, other)
            if !isTold { differences[name] = .object(Self.told(other)) }
            return
        }
        var body = other
        if let type = base.mediaType, !type.isEmpty {
            (body.mediaType, body.writtenMediaType) = (type, base.writtenMediaType)
        }
        Self.add(base.foreign, to: &body.foreign)
        own = body
    }

    private static func isSame(_ left: Body, _ right: Body) -> Bool {
        if let first = BodyFields(left), let second = BodyFields(right), first.text == second.text {
            return true
        }
        guard let first = left.bytes, let second = right.bytes else { return true }
        return first == second
    }

    /// A body as the member of an entry that it would be.
    private static func told(_ body: Body) -> JSONObject {
        var object: JSONObject = [:]
        if let type = body.mediaType { object["mimeType"] = .string(type) }
        guard let bytes = body.bytes else { return object }
        object["size"] = JSONValue(bytes.count)
        guard bytes.count <= largestDifference else {
            object["_authreel"] = ["truncated": true]
            return object
        }
        if bytes.withUnsafeBufferPointer(TextCheck.isText) {
            object["text"] = .string(String(decoding: bytes, as: UTF8.self))
        } else {
            var text: [UInt8] = []
            Base64.append(bytes, to: &text)
            object["text"] = .string(String(decoding: text, as: UTF8.self))
            object["encoding"] = "base64"
        }
        return object
    }

    // MARK: - Facts

    private mutating func uniteFacts(_ other: Exchange) {
        if exchange.timings == Timings() { exchange.timings = other.timings }
        unite(&exchange.connection, other.connection)
        uniteClient(other)
        if exchange.tunnel == TunnelFacts() { exchange.tunnel = other.tunnel }
        if exchange.malformations.isEmpty { exchange.malformations = other.malformations }
        exchange.upgradedTo = exchange.upgradedTo ?? other.upgradedTo
    }

    /// What one file has not, the other has, unless it has no header fields at all, as logs have none.
    private mutating func uniteUnknownFields(_ other: Exchange, _ base: Exchange) {
        var unknown = base.unknownFields
        if !other.request.headers.fields.isEmpty {
            unknown.request = min(unknown.request, other.unknownFields.request)
        }
        if base.response == nil {
            unknown.response = other.unknownFields.response
        } else if other.response?.headers.fields.isEmpty == false {
            unknown.response = min(unknown.response, other.unknownFields.response)
        }
        if unknown != base.unknownFields { exchange.unknownFields = unknown }
    }

    private func unite(_ own: inout ConnectionFacts, _ other: ConnectionFacts) {
        own = ConnectionFacts(
            id: own.id ?? other.id,
            serverAddress: own.serverAddress ?? other.serverAddress,
            clientTLSVersion: own.clientTLSVersion ?? other.clientTLSVersion,
            serverTLSVersion: own.serverTLSVersion ?? other.serverTLSVersion,
            cipher: own.cipher ?? other.cipher,
            serverName: own.serverName ?? other.serverName,
            alpn: own.alpn ?? other.alpn,
            clientCertificate: own.clientCertificate ?? other.clientCertificate
        )
    }

    /// Who sends to a server behind a proxy is the proxy.
    private mutating func uniteClient(_ other: Exchange) {
        guard other.client != ClientFacts(), other.client != exchange.client else { return }
        if exchange.client == ClientFacts(), exchange.request.url.mayNameServer(of: other.request.url) {
            return exchange.client = other.client
        }
        var client = JSONObject()
        if let process = other.client.process { client["process"] = .string(process) }
        if let address = other.client.address { client["address"] = .string(address) }
        differences["_authreel"] = ["client": .object(client)]
    }

    private func unite(_ own: inout String, _ other: String, _ name: String, _ differences: inout JSONObject)
    {
        if own.isEmpty {
            own = other
        } else if !other.isEmpty, own != other {
            differences[name] = .string(other)
        }
    }

    private func unite(_ own: inout JSONObject, _ other: JSONObject, _ differences: inout JSONObject) {
        guard !other.isEmpty else { return }
        // A file may have any number of members of its own.
        var united = IndexedJSONObject(own)
        var differing = IndexedJSONObject(differences)
        for member in other.members {
            guard let value = united[member.name] else {
                united.append(member)
                continue
            }
            if value != member.value { differing.set(member.name, member.value) }
        }
        own = united.object
        differences = differing.object
    }

    private static func milliseconds(_ duration: Duration) -> JSONNumber { (duration * 1000).statedSeconds }
}

extension Body {
    /// Whether there is anything of it.
    fileprivate var holdsSomething: Bool {
        switch content {
        case .bytes(let bytes): !bytes.isEmpty
        case .missing: false
        case .spooled, .deferred, .parameters: true
        }
    }

    /// Whether it has what another does not have.
    fileprivate func isMore(than other: Body) -> Bool {
        guard holdsSomething else { return false }
        if !other.holdsSomething { return true }
        if isTruncated != other.isTruncated { return !isTruncated }
        if (remainingCoding == nil) != (other.remainingCoding == nil) { return remainingCoding == nil }
        if case .parameters = content { return false }
        if case .parameters = other.content { return true }
        if let own = BodyFields(self)?.items, let others = BodyFields(other)?.items {
            return RemovedValue.isAmong(others) && !RemovedValue.isAmong(own)
        }
        return false
    }
}
