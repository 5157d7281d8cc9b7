import JSON

/// An issuer of metadata, which some providers write with a gap for the tenant.
enum IssuerTemplate {
    /// Whether an issuer is the one of the metadata, with any tenant where that leaves it open.
    static func matches(_ issuer: String, _ template: String) -> Bool {
        if issuer.equalsBytes(of: template) { return true }
        guard let gap = template.utf8.firstRange(of: Array("{tenantid}".utf8)) else { return false }
        let before = template.utf8[..<gap.lowerBound]
        let after = template.utf8[gap.upperBound...]
        let bytes = issuer.utf8
        guard bytes.count > before.count + after.count, bytes.starts(with: before),
            bytes.suffix(after.count).elementsEqual(after)
        else { return false }
        return !bytes.dropFirst(before.count).dropLast(after.count).contains(0x2f)
    }
}
