import Captures

extension Timestamp {
    /// The time in UTC as another one is spelled (RFC 3339, section 5.6): with as many digits of a fraction up to six, with `T` or a
    /// blank, and with a zone where that one has one.
    ///
    /// `model`: a time of RFC 3339, with or without its zone.
    func spelled(like model: String) -> String {
        let model = Array(model.utf8)
        let own = Array(rfc3339.utf8)
        guard model.count >= 19 else { return rfc3339 }
        var bytes = own[..<10] + [model[10]] + own[11..<19]
        let fraction = model[19...].first == 0x2e ? model[20...].prefix { $0.isASCIIDigit }.count : 0
        if fraction > 0 { bytes += own[19..<(20 + min(fraction, 6))] }
        switch model[19...].first(where: { $0 != 0x2e && !$0.isASCIIDigit }) {
        case 0x2b, 0x2d: bytes += "+00:00".utf8
        case nil: break
        default: bytes += "Z".utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
