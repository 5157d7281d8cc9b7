/// What Ruby loads first (`RUBYOPT`): loopback goes through the proxy as well.
enum RubyPreload {
    static let text = #"""
        # Loaded by `authreel record -- CMD` for this run only: URI#find_proxy, which Net::HTTP and others ask, leaves out
        # loopback addresses even where a proxy is set and no_proxy is not; here it does not. Waits for the uri library instead
        # of loading it, whose version is the program's to choose.
        begin
          finder = Module.new do
            def find_proxy(env = ENV)
              found = super
              name = "#{scheme.downcase}_proxy"
              proxy = env[name] || env[name.upcase]
              return found if found || proxy.nil? || proxy.empty? || hostname.nil?
              return found if name == 'http_proxy' && env.include?('REQUEST_METHOD')
              left_out = env['no_proxy'] || env['NO_PROXY']
              return found if left_out && !URI::Generic.use_proxy?(hostname, nil, port, left_out)
              URI.parse(proxy)
            end
          end

          if defined?(URI::Generic)
            URI::Generic.prepend(finder)
          else
            Object.singleton_class.prepend(Module.new do
              hook = self
              define_method(:inherited) do |created|
                super(created)
                if created.name == 'URI::Generic'
                  hook.send(:remove_method, :inherited)
                  created.prepend(finder)
                end
              end
            end)
          end
        rescue StandardError
          nil
        end

        """#
}
