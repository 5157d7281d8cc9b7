import Captures
import JOSE

extension RecordedRequest {
    /// The scheme of the header Authorization, where a client does with it what OAuth has no name for: MyInfo's third version has it sign
    /// its requests there (`PKI_SIGN`).
    ///
    /// Nil where there is no scheme before the credentials, for what stands there alone may be a secret.
    var schemeOfItsOwn: String? {
        guard let header = headers.first("authorization"), !Placeholder.isOne(header) else { return nil }
        let scheme = header.utf8.prefix { $0.isASCIIAlphanumeric || $0 == 0x2d || $0 == 0x5f }
        guard !scheme.isEmpty, scheme.count <= 20, header.utf8.dropFirst(scheme.count).first == 0x20 else {
            return nil
        }
        let name = String(Substring(scheme))
        return name.lowercased() == "basic" ? nil : name
    }
}
