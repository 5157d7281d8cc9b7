import JSON

/// `_authreel` of an entry: what HAR has no member for.
extension HAREntry {
    /// Appends it, where there is something to say; `pieces`: what the exchanges of its connection have in common.
    static func appendOurs(
        of exchange: Exchange,
        _ pieces: FactsText.Pieces,
        _ writer: inout HARObjectWriter,
        _ out: inout [UInt8]
    ) {
        let ours = ours(exchange)
        guard !ours.isEmpty || !pieces.ours.isEmpty else { return }
        writer.name("_authreel", &out)
        out.append(0x7b)
        out.append(contentsOf: pieces.ours)
        for (index, member) in ours.members.enumerated() {
            if index > 0 || !pieces.ours.isEmpty { out.append(0x2c) }
            JSONWriter.append(string: member.name, to: &out)
            out.append(0x3a)
            JSONWriter.append(member.value, to: &out)
        }
        out.append(0x7d)
    }

    /// What only this exchange has.
    private static func ours(_ exchange: Exchange) -> JSONObject {
        var ours = JSONObject()
        if let tunnel = told(exchange.tunnel) { ours["tunnel"] = .object(tunnel) }
        if let other = exchange.upgradedTo { ours["upgradedTo"] = .string(other) }
        if exchange.isPushed { ours["pushed"] = .bool(true) }
        if !exchange.malformations.isEmpty {
            ours["malformed"] = .array(exchange.malformations.map(told))
        }
        let unknown = told(exchange.unknownFields)
        if !unknown.isEmpty { ours["unknownFields"] = .object(unknown) }
        let trailers = trailers(of: exchange)
        if !trailers.isEmpty { ours["trailers"] = .object(trailers) }
        if exchange.hasProvenance { exchange.provenance.append(to: &ours) }
        return ours
    }

    private static func told(_ tunnel: TunnelFacts) -> JSONObject? {
        guard let reason = tunnel.reason else { return nil }
        var object: JSONObject = ["reason": .string(reason.rawValue)]
        if let sent = tunnel.sentBytes { object["sent"] = JSONValue(sent) }
        if let received = tunnel.receivedBytes { object["received"] = JSONValue(received) }
        return object
    }

    private static func told(_ unknown: UnknownFields) -> JSONObject {
        var object = JSONObject()
        if unknown.request > 0 { object["request"] = JSONValue(unknown.request) }
        if unknown.response > 0 { object["response"] = JSONValue(unknown.response) }
        return object
    }

    private static func told(_ malformation: Malformation) -> JSONValue {
        [
            "side": .string(malformation.side.rawValue),
            "offset": JSONValue(malformation.offset),
            "reason": .string(malformation.reason),
        ]
    }

    private static func trailers(of exchange: Exchange) -> JSONObject {
        var trailers = JSONObject()
        for (name, fields) in [
            ("request", exchange.request.trailers),
            ("response", exchange.response?.trailers ?? HeaderFields()),
        ]
        where !fields.fields.isEmpty {
            trailers[name] = .array(
                fields.fields.map {
                    var field: JSONObject = ["name": .string($0.name), "value": .string($0.value)]
                    if $0.isLatin1 { field["_authreel"] = ["latin1": true] }
                    return .object(field)
                }
            )
        }
        return trailers
    }
}
