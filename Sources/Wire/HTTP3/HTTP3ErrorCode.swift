/// Why a stream or a connection was ended (RFC 9114, section 8.1; RFC 9204, section 6).
package enum HTTP3ErrorCode {
    private static let names = [
        "H3_NO_ERROR", "H3_GENERAL_PROTOCOL_ERROR", "H3_INTERNAL_ERROR", "H3_STREAM_CREATION_ERROR",
        "H3_CLOSED_CRITICAL_STREAM", "H3_FRAME_UNEXPECTED", "H3_FRAME_ERROR", "H3_EXCESSIVE_LOAD",
        "H3_ID_ERROR", "H3_SETTINGS_ERROR", "H3_MISSING_SETTINGS", "H3_REQUEST_REJECTED",
        "H3_REQUEST_CANCELLED", "H3_REQUEST_INCOMPLETE", "H3_MESSAGE_ERROR", "H3_CONNECT_ERROR",
        "H3_VERSION_FALLBACK",
    ]
    private static let qpackNames = [
        "QPACK_DECOMPRESSION_FAILED", "QPACK_ENCODER_STREAM_ERROR", "QPACK_DECODER_STREAM_ERROR",
    ]

    /// The specification's name of a code, its number where it has none.
    package static func name(_ code: Int) -> String {
        switch code {
        case 0x100..<0x100 + names.count: names[code - 0x100]
        case 0x200..<0x200 + qpackNames.count: qpackNames[code - 0x200]
        default: "error 0x\(String(code, radix: 16))"
        }
    }
}
