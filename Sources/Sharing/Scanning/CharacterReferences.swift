import Captures

/// The named character references of HTML that encoders write: of ASCII and of Latin-1 (HTML, section 13.5).
enum CharacterReferences {
    /// The reference whose name begins here, behind the `&`: the length of the name, which a semicolon follows, and what
    /// it stands for.
    static func named(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> (length: Int, scalar: UInt32)? {
        var end = start
        while end < bytes.count, end - start <= longest, bytes[end].isASCIIAlphanumeric { end += 1 }
        guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: ";") else { return nil }
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        return scalars[name].map { (end - start, $0) }
    }

    private static let longest = 16

    private static let ascii: [(value: UInt32, words: String)] = [
        (0x09, "Tab"), (0x0a, "NewLine"), (0x21, "excl"), (0x22, "quot QUOT"), (0x23, "num"),
        (0x24, "dollar"),
        (0x25, "percnt"), (0x26, "amp AMP"), (0x27, "apos"), (0x28, "lpar"), (0x29, "rpar"),
        (0x2a, "ast midast"),
        (0x2b, "plus"), (0x2c, "comma"), (0x2e, "period"), (0x2f, "sol"), (0x3a, "colon"), (0x3b, "semi"),
        (0x3c, "lt LT"), (0x3d, "equals"), (0x3e, "gt GT"), (0x3f, "quest"), (0x40, "commat"),
        (0x5b, "lsqb lbrack"),
        (0x5c, "bsol"), (0x5d, "rsqb rbrack"), (0x5e, "Hat"), (0x5f, "lowbar UnderBar"),
        (0x60, "grave DiacriticalGrave"), (0x7b, "lcub lbrace"), (0x7c, "verbar vert VerticalLine"),
        (0x7d, "rcub rbrace"),
    ]

    /// From U+00A0 on, in order.
    private static let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro \
        para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil \
        Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave \
        Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml \
        igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute \
        thorn yuml
        """

    private static let scalars: [String: UInt32] = WordTable.byWord(
        ascii + WordTable.words(latin1).enumerated().map { (0xa0 + UInt32($0), $1) }
    )
}
