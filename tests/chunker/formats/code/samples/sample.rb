# frozen_string_literal: true

require 'json'
require 'set'

# Shapes of all kinds.
module Shapes
  LIMIT = 3

  # A shape.
  class Shape < Base
    attr_reader :name

    # Makes one.
    def initialize(name)
      @name = name
    end

    # All of them.
    def self.all
      @all ||= [
        1,
        2,
      ]
    end

    private

    def area
      if @name
        compute
      else
        0
      end
    rescue StandardError => e
      raise e
    end
  end

  class << self
    def reset
      @all = nil
    end
  end
end

# The examples.
describe Shapes do
  it 'has an area' do
    expect(1).to eq(1)
  end
end

case ARGV.first
when 'a'
  puts 1
else
  puts 2
end
