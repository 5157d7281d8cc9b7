internal import COpenSSL

/// OpenSSL as a whole.
package enum CryptoLibrary {
    /// Keeps OpenSSL usable until the process is gone, for threads that are at work while another one ends the program.
    ///
    /// By itself it frees its locks and tables in `exit`, and who comes to them later reads freed memory. Has to be the first call
    /// of all, since OpenSSL decides on its first use.
    package static func staysUntilTheEnd() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
