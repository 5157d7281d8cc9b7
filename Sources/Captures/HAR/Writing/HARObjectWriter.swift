import JSON

/// Writes the members of one object straight into a buffer; `end` closes it.
struct HARObjectWriter {
    private var isFirst = true

    init(_ out: inout [UInt8]) { out.append(0x7b) }

    mutating func name(_ name: StaticString, _ out: inout [UInt8]) {
        comma(&out)
        out.append(0x22)
        name.withUTF8Buffer { out.append(contentsOf: $0) }
        out.append(0x22)
        out.append(0x3a)
    }

    mutating func string(_ name: StaticString, _ value: String, _ out: inout [UInt8]) {
        self.name(name, &out)
        JSONWriter.append(string: value, to: &out)
    }

    mutating func raw(_ name: StaticString, _ value: StaticString, _ out: inout [UInt8]) {
        self.name(name, &out)
        value.withUTF8Buffer { out.append(contentsOf: $0) }
    }

    mutating func integer(_ name: StaticString, _ value: Int, _ out: inout [UInt8]) {
        self.name(name, &out)
        DecimalText.append(value, to: &out)
    }

    /// A size as its producer has counted it, or ours.
    mutating func size(_ name: StaticString, _ kept: JSONObject, _ value: Int, _ out: inout [UInt8]) {
        if !kept.isEmpty, let told = kept["\(name)"] {
            self.value("\(name)", told, &out)
        } else {
            integer(name, value, &out)
        }
    }

    /// A list as its producer has written it, or what `write` makes of the exchange.
    mutating func list(
        _ name: StaticString,
        _ kept: JSONObject,
        _ out: inout [UInt8],
        _ write: (inout [UInt8]) -> Void
    ) {
        if !kept.isEmpty, let told = kept["\(name)"] {
            value("\(name)", told, &out)
        } else {
            self.name(name, &out)
            write(&out)
        }
    }

    mutating func value(_ name: String, _ value: JSONValue, _ out: inout [UInt8]) {
        comma(&out)
        JSONWriter.append(string: name, to: &out)
        out.append(0x3a)
        JSONWriter.append(value, to: &out)
    }

    /// Milliseconds with three digits behind the point: microseconds are what a recorder can vouch for.
    mutating func milliseconds(
        _ name: StaticString,
        _ value: Duration?,
        missing: StaticString,
        _ out: inout [UInt8]
    ) {
        guard let value else { return raw(name, missing, &out) }
        self.name(name, &out)
        let (seconds, attoseconds) = value.components
        let microseconds = max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        DecimalText.append(Int(microseconds / 1000), to: &out)
        let rest = microseconds % 1000
        guard rest > 0 else { return }
        out.append(0x2e)
        out.append(UInt8(0x30 + rest / 100))
        if rest % 100 > 0 { out.append(UInt8(0x30 + rest / 10 % 10)) }
        if rest % 10 > 0 { out.append(UInt8(0x30 + rest % 10)) }
    }

    mutating func end(_ out: inout [UInt8]) { out.append(0x7d) }

    private mutating func comma(_ out: inout [UInt8]) {
        if !isFirst { out.append(0x2c) }
        isFirst = false
    }
}
