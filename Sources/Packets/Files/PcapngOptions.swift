/// The options at the end of a block of pcapng (draft-ietf-opsawg-pcapng, section 3.5): each with its code and its length, filled up to
/// four bytes.
struct PcapngOptions {
    let bytes: UnsafeRawBufferPointer
    let order: ByteOrder

    /// Takes each of them, up to the end of them or to one that is not whole.
    func forEach(_ body: (_ code: UInt16, _ value: UnsafeRawBufferPointer) -> Void) {
        var rest = bytes
        while rest.count >= 4 {
            let code = order.integer(rest, 0, as: UInt16.self)
            let length = Int(order.integer(rest, 2, as: UInt16.self))
            guard code != 0, length <= rest.count - 4 else { return }
            body(code, rest.behind(4).first(length))
            rest = rest.behind(4 + (length + 3) & ~3)
        }
    }
}
