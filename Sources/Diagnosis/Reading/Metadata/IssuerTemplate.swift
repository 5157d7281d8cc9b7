import Captures
import JSON

/// An issuer of metadata, which some providers write with a gap for the tenant.
enum IssuerTemplate {
    /// In place of the tenant, as Entra writes it.
    static let gap = "{tenantid}"

    static func isOne(_ issuer: String) -> Bool { issuer.containsBytes(gap) }

    /// Whether an issuer is the one of the metadata, with any tenant where that leaves it open.
    static func matches(_ issuer: String, _ template: String) -> Bool {
        if issuer.equalsBytes(of: template) { return true }
        guard let place = template.utf8.firstRange(of: Array(Self.gap.utf8)) else { return false }
        let before = template.utf8[..<place.lowerBound]
        let after = template.utf8[place.upperBound...]
        let bytes = issuer.utf8
        guard bytes.count > before.count + after.count, bytes.starts(with: before),
            bytes.suffix(after.count).elementsEqual(after)
        else { return false }
        return !bytes.dropFirst(before.count).dropLast(after.count).contains(0x2f)
    }
}
